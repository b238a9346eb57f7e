#pragma once
// A synthetic kernel as its YAML describes it: a tree of entries. README, "Synthetic kernels", shows the
// keys.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "stimuli/synthetic/access_pattern.h"

namespace heddle {

// What a kernel needs from here on, for whoever gives resources by phase.
struct SyntheticPhase {
  std::uint32_t pc = 0;              // of its first instruction
  std::uint32_t live_registers = 0;  // per thread
  std::uint64_t live_shared = 0;     // bytes per block
};

// Registers that carry a value from some instructions to others: a chain, what loads bring, a loop's counter.
struct SyntheticValue {
  std::string name;
  std::uint32_t width = 1;                                         // registers
  std::uint32_t live = std::numeric_limits<std::uint32_t>::max();  // fewest of the phases it is used in
  RegisterId first = 0;                                            // its lowest register
};

enum class Unit : std::uint8_t { kLane, kWarp, kBlock };  // who decides, all below it alike

struct SyntheticEntry {
  enum class Kind : std::uint8_t { kCompute, kMemory, kBarrier, kLoop, kIf, kPhase };
  static constexpr std::uint32_t kNoValue = ~std::uint32_t{0};

  Kind kind = Kind::kCompute;

  std::vector<Operation> operations;  // kCompute, in order; kMemory: one, `count` times
  std::uint32_t count = 1;
  std::uint32_t distance = 1;       // instruction i writes where instruction i - distance wrote
  std::uint32_t to = kNoValue;      // value written; kCompute reads it too
  std::vector<std::uint32_t> from;  // values read in turn; stores: what is stored
  std::uint32_t at = kNoValue;      // memory: value the address depends on

  MemorySpace space = MemorySpace::kNone;
  bool bypass_l1 = false;
  AccessPattern access;
  std::optional<std::uint32_t> buffer;  // of the application; none: a region of the kernel's own

  std::uint8_t barrier = 0;

  Unit of = Unit::kLane;             // kLoop, kIf
  std::uint32_t least = 1;           // kLoop: times round
  std::uint32_t most = 1;            // kLoop
  std::uint32_t counter = kNoValue;  // kLoop: value
  std::uint64_t fraction = 0;        // kIf: of 2^32 lanes, warps or blocks that take `body`
  std::vector<SyntheticEntry> body;
  std::vector<SyntheticEntry> otherwise;  // kIf

  SyntheticPhase phase;  // kPhase; its pc is not yet known
};

struct SyntheticKernel {
  std::uint64_t blocks = 1;
  BlockShape shape;
  std::uint64_t seed = 1;
  std::vector<SyntheticValue> values;
  std::vector<SyntheticEntry> code;
};

}  // namespace heddle
