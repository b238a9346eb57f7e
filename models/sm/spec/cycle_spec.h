#pragma once
// A CycleSmSpec describes what a cycle SM consists of. All cycles are of the core clock.

#include <cstdint>

#include "models/sm/spec/execution_spec.h"

namespace heddle {

// A ReadLatency says how many cycles after its issue a memory instruction of a sub-core has read its
// registers. Later instructions can write these registers from then on. If the latency is 0, the instruction
// has read its registers when it leaves the sub-core.
struct ReadLatency {
  std::uint32_t regular = 0;
  std::uint32_t uniform = 0;  // with Instruction::uniform_address
};

// An OperandConstants has the numbers of the constant cache of a sub-core. The cache holds what instructions
// take as operands from constant memory.
struct OperandConstants {
  static constexpr std::uint32_t kLineBytes = 64;
  std::uint32_t lines = 0;         // of the cache; 0: an operand is always there
  std::uint32_t miss_latency = 0;  // cycles by which a miss delays the issue of its instruction
  std::uint32_t switch_after = 0;  // cycles after a miss from which on other warps issue
};

// A SubcoreSpec has the numbers of the sub-cores of an SM since Volta, each of which has the warps of one
// scheduler.
struct SubcoreSpec {
  // Memory instructions wait in a queue of the sub-core from their issue until they leave it, one after
  // another: `memory_latency` cycles after their issue at the earliest, and `memory_interval` after the one
  // before. The memory unit takes one in each `memory_port` cycles from all sub-cores together.
  std::uint32_t memory_queue = 5;
  std::uint32_t memory_latency = 11;
  std::uint32_t memory_interval = 4;
  std::uint32_t memory_port = 1;
  // Cycles in which the data of a load take the write port of a sub-core, for each register, or for as many
  // registers of a load of shared memory as `shared_width` says.
  std::uint32_t load_interval = 2;
  std::uint32_t shared_width = 1;
  // Cycles by which a memory instruction with Instruction::uniform_address leaves the sub-core earlier.
  std::uint32_t uniform_global = 0;
  std::uint32_t uniform_shared = 0;
  // Those of global memory are also those of local memory. A store takes `store_read` cycles more for each
  // register that it stores beside the first one.
  ReadLatency global_load;
  ReadLatency shared_load;
  ReadLatency global_store;
  ReadLatency shared_store;
  std::uint32_t store_read = 0;
  OperandConstants constants;
  CacheSpec instruction_cache;         // of each sub-core, in front of that of the SM; sets 0: always a hit
  std::uint32_t instruction_way = 0;   // cycles from this cache to that of the SM, and back
  std::uint32_t prefetched_lines = 0;  // the lines that follow a miss and are requested with it
};

enum class PipelineKind : std::uint8_t { kCollector, kSubcore };

struct CycleSmSpec : ExecutionSpec {
  PipelineKind pipeline = PipelineKind::kCollector;
  SubcoreSpec subcore;
  std::uint32_t issue_width =
      1;  // the most instructions of one warp that a scheduler issues in a cycle, each to another unit
  std::uint32_t fetch_width = 2;  // the most instructions that a fetch brings; they lie within one cache line
  std::uint32_t buffer_entries = 2;  // size of each warp's instruction buffer, 1 .. kMostBuffer
  static constexpr std::uint32_t kMostBuffer = 4;

  // The cycles that an instruction spends in the stages between the issue, the units and the register file.
  std::uint32_t collect_latency = 0;   // from a collector's allocation to its first read, 0 or 1
  std::uint32_t dispatch_latency = 0;  // from the last read to the unit, memory excepted
  std::uint32_t result_latency = 0;    // from the end of a unit, or of shared memory, to the register file

  // The cycles from the arrival of a block at the SM to the first issue of its warps, beside the fetch: those
  // of every block, and those of each warp of the block.
  std::uint32_t block_start = 0;
  std::uint32_t warp_start = 0;

  CacheSpec instruction_cache;
  bool code_is_dropped = false;        // the set-up of a kernel drops the code of its context from that cache
  std::uint32_t prefetched_lines = 0;  // the lines that follow a miss and are requested with it
  CacheSpec constant_cache;
  bool constants_are_dropped = false;  // the set-up of a kernel drops the constants of its context
  CacheSpec texture_cache;             // without one, textures are read as global memory is
  bool l1_is_updated = false;          // a global store updates a line in L1, and does not drop its sectors
  std::uint32_t l1_hit_return = 0;     // cycles from L1's data to the register
  std::uint32_t memory_latency = 1;    // from operands collected to the first access, 1 or more
  std::uint32_t shared_latency = 1;    // from access to data
  std::uint32_t shared_banks = 32;     // each is 4 bytes wide
  std::uint32_t load_entries = 128;    // the most memory instructions in flight
  bool merges_atomics =
      false;  // the lanes of an atomic are one operation where Instruction::mergeable says so
};

}  // namespace heddle
