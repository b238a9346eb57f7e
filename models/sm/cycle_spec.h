#pragma once
// A CycleSmSpec describes what a cycle SM consists of. All cycles are of the core clock.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/kernel/bucket.h"
#include "models/core/kernel/instruction.h"
#include "policies/replacement/i_replacement.h"

namespace heddle {

// A UnitKind says where an instruction executes. Each kind has its own collectors and one or more pipelines.
enum class UnitKind : std::uint8_t { kSp, kInt, kDp, kSfu, kTensor, kMemory };
constexpr std::size_t kUnitKinds = static_cast<std::size_t>(UnitKind::kMemory) + 1;
const char* name_of(UnitKind unit);  // spelt as in platforms: "sp"

struct UnitSpec {
  std::uint32_t count = 0;       // pipelines; 0: the SM has no such unit
  std::uint32_t collectors = 0;  // operand collector units
  std::uint32_t ports = 1;       // instructions that enter, and that leave, the collectors in a cycle
};

struct OperationSpec {
  UnitKind unit = UnitKind::kSp;
  std::uint32_t latency = 1;   // from the start of the unit to its result, 1 .. kMostLatency
  std::uint32_t interval = 1;  // initiation interval of a pipeline, 1 or more
};
constexpr std::uint32_t kMostLatency = 1000;
constexpr std::uint32_t kMostStages = 10;  // cycles of the stages before a unit, or behind it
constexpr std::uint32_t kMostWritebacks = 8;
constexpr std::uint32_t kMostSchedulers = 8;
constexpr std::uint32_t kMostPipelines = 32;   // of one unit
constexpr std::uint32_t kMostCollectors = 64;  // of all units together

struct CacheSpec {
  std::uint32_t sets = 0;  // 0: the cache does not exist, and its accesses go to L2
  std::uint32_t ways = 0;
  std::uint32_t line_bytes = 128;
  std::uint32_t sector_bytes = 128;  // sector size of a line; a request to L2 is for whole sectors
  bool hashed = false;               // the set index is an XOR with higher address bits
  std::uint32_t mshrs = 0;
  std::uint32_t merges = 0;      // the most requests that wait on one MSHR
  std::uint32_t miss_queue = 0;  // the most requests that wait for the crossbar
  std::uint32_t latency = 1;     // from tag access to data
  PolicyChoice replacement{Replacement::kDefault, {}};

  std::uint32_t bytes() const { return sets * ways * line_bytes; }
};

struct CycleSmSpec {
  std::uint32_t schedulers = 1;  // warp w belongs to scheduler w mod schedulers
  std::uint32_t issue_width =
      1;  // the most instructions of one warp that a scheduler issues in a cycle, each to another unit
  std::uint32_t fetch_width = 2;  // the most instructions that a fetch brings; they lie within one cache line
  std::uint32_t buffer_entries = 2;  // size of each warp's instruction buffer, 1 .. kMostBuffer
  static constexpr std::uint32_t kMostBuffer = 4;

  std::uint32_t register_banks = 16;  // bank = (register + warp) mod banks
  std::uint32_t writebacks = 2;       // the most results that the units write in a cycle
  // The cycles that an instruction spends in the stages between the issue, the units and the register file.
  std::uint32_t collect_latency = 0;   // from a collector's allocation to its first read, 0 or 1
  std::uint32_t dispatch_latency = 0;  // from the last read to the unit, memory excepted
  std::uint32_t result_latency = 0;    // from the end of a unit, or of shared memory, to the register file
  std::array<UnitSpec, kUnitKinds> units{};
  std::array<OperationSpec, kOperations> operations{};

  CacheSpec instruction_cache;
  bool code_is_dropped = false;  // the set-up of a kernel drops the code of its context from that cache
  CacheSpec constant_cache;
  CacheSpec texture_cache;  // without one, textures are read as global memory is
  CacheSpec l1;
  bool l1_caches_global = true;      // false: only local loads use L1, and global loads go to L2
  std::uint32_t l1_hit_return = 0;   // cycles from L1's data to the register
  std::uint32_t memory_latency = 1;  // from operands collected to the first access, 1 or more
  std::uint32_t shared_latency = 1;  // from access to data
  std::uint32_t shared_banks = 32;   // each is 4 bytes wide
  std::uint32_t load_entries = 128;  // the most memory instructions in flight
  bool merges_atomics =
      false;  // the lanes of an atomic are one operation where Instruction::mergeable says so

  // A cycle without issue is accounted to the first of these buckets that holds for a live warp. The list has
  // every bucket but kActive and kNoWarp.
  std::vector<Bucket> stall_order;
  bool kernel_stalls = false;   // the SM also accounts its cycles to each kernel
  std::uint64_t use_epoch = 0;  // cycles in which accesses to a register or a byte count once; 0: not counted
};

}  // namespace heddle
