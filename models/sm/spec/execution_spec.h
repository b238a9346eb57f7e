#pragma once
// An ExecutionSpec is what every SM that executes instructions has, whatever its pipeline: what the rest of
// the GPU and its reports read of an SM. All cycles are of the core clock.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/kernel/bucket.h"
#include "models/core/kernel/code_options.h"
#include "models/core/kernel/operation.h"
#include "policies/replacement/i_replacement.h"

namespace heddle {

// A UnitKind says where an instruction executes. Each kind has its own collectors and one or more pipelines.
enum class UnitKind : std::uint8_t { kSp, kInt, kDp, kSfu, kTensor, kUniform, kMemory };
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

// A CopyUnitSpec has the numbers of the unit of an SM that copies between shared memory and device memory
// without registers.
struct CopyUnitSpec {
  std::uint32_t lines = 0;     // the most lines of 128 bytes on their way; 0: the SM has no copy unit
  std::uint32_t latency = 1;   // cycles from the issue of a copy to its first line
  std::uint32_t interval = 1;  // cycles from line to line
};

struct ExecutionSpec {
  CodeForm code;
  // The SM follows the control bits of instructions that have them.
  bool follows_control_bits = false;

  std::uint32_t schedulers = 1;    // warp w belongs to scheduler w mod schedulers
  bool schedulers_rotate = false;  // another one issues first after each cycle with an issue
  std::array<UnitSpec, kUnitKinds> units{};
  std::array<OperationSpec, kOperations> operations{};
  // The cycles from the issue of a branch that is taken to the fetch of its target. Without any, the branches
  // of a trace cost nothing.
  std::uint32_t branch_latency = 0;
  std::uint32_t register_banks = 16;  // bank = (register + warp) mod banks
  std::uint32_t writebacks = 2;       // the most results that the units write in a cycle
  CopyUnitSpec copy_unit;
  CacheSpec l1;
  // The most lines of a load that L1 reads in a cycle. They lie in different banks, which are as wide as a
  // word.
  std::uint32_t l1_lines = 1;
  // The data of a load that hits come so many cycles later for each cycle in which the load accessed other
  // lines before.
  std::uint32_t l1_line_latency = 0;
  bool l1_caches_global = true;  // false: only local loads use L1, and global loads go to L2

  // A cycle without issue is accounted to the first of these buckets that holds for a live warp. The list has
  // every bucket but kActive and kNoWarp.
  std::vector<Bucket> stall_order;
  bool kernel_stalls = false;         // the SM also accounts its cycles to each kernel
  bool saves_live_registers = false;  // see Preemption::saves_live_registers()
  std::uint64_t use_epoch = 0;  // cycles in which accesses to a register or a byte count once; 0: not counted

  const UnitSpec& unit(UnitKind kind) const { return units[static_cast<std::size_t>(kind)]; }
  const OperationSpec& operation(Operation of) const { return operations[static_cast<std::size_t>(of)]; }
};

}  // namespace heddle
