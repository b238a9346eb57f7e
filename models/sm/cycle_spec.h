#pragma once
// What a cycle SM is made of. Cycles are of the core clock.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/kernel/bucket.h"
#include "models/core/kernel/instruction.h"
#include "policies/replacement/i_replacement.h"

namespace heddle {

// Where an instruction executes. Each kind has its collectors and one or more pipelines.
enum class UnitKind : std::uint8_t { kSp, kInt, kDp, kSfu, kTensor, kMemory };
constexpr std::size_t kUnitKinds = static_cast<std::size_t>(UnitKind::kMemory) + 1;
const char* name_of(UnitKind unit);  // as platforms spell it: "sp"

struct UnitSpec {
  std::uint32_t count = 0;       // pipelines; 0: the SM has none
  std::uint32_t collectors = 0;  // operand collector units
  std::uint32_t ports = 1;       // instructions that enter and leave the collectors in a cycle
};

struct OperationSpec {
  UnitKind unit = UnitKind::kSp;
  std::uint32_t latency = 1;   // operands collected to result written, 1 .. kMostLatency
  std::uint32_t interval = 1;  // initiation interval of a pipeline, 1 or more
};
constexpr std::uint32_t kMostLatency = 1000;
constexpr std::uint32_t kMostWritebacks = 8;
constexpr std::uint32_t kMostSchedulers = 8;
constexpr std::uint32_t kMostPipelines = 32;   // of a unit
constexpr std::uint32_t kMostCollectors = 64;  // of all units

struct CacheSpec {
  std::uint32_t sets = 0;  // 0: no such cache, what would go there goes to L2
  std::uint32_t ways = 0;
  std::uint32_t line_bytes = 128;
  std::uint32_t sector_bytes = 128;  // of a line; requests to L2 are whole sectors
  bool hashed = false;               // set index XORs higher address bits
  std::uint32_t mshrs = 0;
  std::uint32_t merges = 0;      // requests one MSHR holds
  std::uint32_t miss_queue = 0;  // requests that wait for the crossbar
  std::uint32_t latency = 1;     // tag access to data
  PolicyChoice replacement{Replacement::kDefault, {}};

  std::uint32_t bytes() const { return sets * ways * line_bytes; }
};

struct CycleSmSpec {
  std::uint32_t schedulers = 1;  // warp w belongs to scheduler w mod schedulers
  std::uint32_t issue_width =
      1;  // instructions of its warp a scheduler issues in a cycle, to different units
  std::uint32_t fetch_width = 2;     // instructions a fetch brings, within one cache line
  std::uint32_t buffer_entries = 2;  // of each warp's instruction buffer; 1 .. kMostBuffer
  static constexpr std::uint32_t kMostBuffer = 4;

  std::uint32_t register_banks = 16;  // bank = (register + warp) mod banks
  std::uint32_t writebacks = 2;       // results the units write in a cycle
  std::array<UnitSpec, kUnitKinds> units{};
  std::array<OperationSpec, kOperations> operations{};

  CacheSpec instruction_cache;
  CacheSpec constant_cache;
  CacheSpec l1;
  bool l1_caches_global = true;      // false: global loads go to L2, local ones are cached
  std::uint32_t l1_hit_return = 0;   // further cycles from L1's data to the register
  std::uint32_t memory_latency = 1;  // operands collected to the first access, 1 or more
  std::uint32_t shared_latency = 1;  // access to data
  std::uint32_t shared_banks = 32;   // of 4 bytes
  std::uint32_t load_entries = 128;  // memory instructions in flight

  // Of a cycle without issue: the first of these that holds for a live warp. kActive and kNoWarp are not
  // here.
  std::vector<Bucket> stall_order;
};

}  // namespace heddle
