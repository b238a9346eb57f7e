#pragma once
// Every cycle of an SM is counted in exactly one bucket.

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle {

// A bucket says whether an SM issued in a cycle, or why it did not.
enum class Bucket : std::uint8_t {
  kActive,            // a scheduler issued an instruction
  kPipelineMemory,    // an instruction was ready for the memory unit, which was full
  kPipelineAlu,       // an instruction was ready for another unit, which was full
  kScoreboardMemory,  // a warp waits for a register of a load, or for its stores at a fence
  kScoreboardAlu,     // a warp waits for a register of another unit
  kBufferEmpty,       // a warp waits for instruction fetch
  kBarrier,
  kNoWarp,
};
constexpr std::size_t kBuckets = static_cast<std::size_t>(Bucket::kNoWarp) + 1;
const char* name_of(Bucket bucket);         // "scoreboard_memory"
const char* description_of(Bucket bucket);  // of the cycles of an SM, or of a scheduler, that are in it

using BucketCycles = std::array<std::uint64_t, kBuckets>;

// Totals over cycles of an SM. An issue slot is one scheduler in one cycle.
struct CycleTotals {
  BucketCycles buckets{};
  std::uint64_t issue_slots = 0;
  // The issue slots in which the scheduler issued nothing and one of its warps waited for memory, whatever
  // the other warps waited for. No stall order decides them.
  std::uint64_t memory_slots = 0;
};

}  // namespace heddle
