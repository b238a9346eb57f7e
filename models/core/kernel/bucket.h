#pragma once
// What the cycles of an SM went to: each cycle lands in one bucket.

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle {

// Why an SM did not issue, in the accounts' terms.
enum class Bucket : std::uint8_t {
  kActive,            // a scheduler issued
  kPipelineMemory,    // an instruction was ready for the memory unit, which had no room
  kPipelineAlu,       // the same, any other unit
  kScoreboardMemory,  // waits for a register that a load will write, or for stores at a fence
  kScoreboardAlu,     // waits for a register
  kBufferEmpty,       // waits for fetch
  kBarrier,
  kNoWarp,
};
constexpr std::size_t kBuckets = static_cast<std::size_t>(Bucket::kNoWarp) + 1;
const char* name_of(Bucket bucket);         // "scoreboard_memory"
const char* description_of(Bucket bucket);  // of the cycles of an SM, or of a scheduler, that are in it

using BucketCycles = std::array<std::uint64_t, kBuckets>;

}  // namespace heddle
