#pragma once
// This file has the synthetic kernel that a YAML file describes, as a tree of entries. stimuli/KERNELS.md,
// "Synthetic kernels", shows the keys.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "stimuli/synthetic/access_pattern.h"

namespace heddle {

// A SyntheticPhase is a phase of a synthetic kernel: where it starts, and how many registers and how much
// shared memory are live in it. Code for a resource manager that uses phases has a phase specifier there.
struct SyntheticPhase {
  std::uint32_t pc = 0;              // pc of its first instruction
  std::uint32_t live_registers = 0;  // per thread
  std::uint64_t live_shared = 0;     // bytes per block
};

// A SyntheticValue is a set of registers that carries dependences between instructions: a chain of
// operations, the results of loads, or the counter of a loop.
struct SyntheticValue {
  std::string name;
  std::uint32_t width = 1;                                         // registers
  std::uint32_t live = std::numeric_limits<std::uint32_t>::max();  // the fewest live registers of its phases
  RegisterId first = 0;                                            // its lowest register
};

// A Unit states whether lanes, warps or blocks take a branch independently. The lanes of one unit decide
// alike.
enum class Unit : std::uint8_t { kLane, kWarp, kBlock };

struct SyntheticEntry {
  enum class Kind : std::uint8_t { kCompute, kMemory, kBarrier, kLoop, kIf, kPhase };
  static constexpr std::uint32_t kNoValue = ~std::uint32_t{0};

  Kind kind = Kind::kCompute;

  std::vector<Operation> operations;  // kCompute: in order; kMemory: one, issued `count` times
  std::uint32_t count = 1;
  std::uint32_t distance = 1;       // instruction i writes the register of instruction i - distance
  std::uint32_t to = kNoValue;      // index of the value that is written; kCompute also reads it
  std::vector<std::uint32_t> from;  // the values that are read in turn; stores: the values that are stored
  std::uint32_t at = kNoValue;      // kMemory: the value on which the address depends

  MemorySpace space = MemorySpace::kNone;
  bool bypass_l1 = false;
  AccessPattern access;
  std::optional<std::uint32_t> buffer;  // index in the application; none for a region of the kernel

  std::uint8_t barrier = 0;

  Unit of = Unit::kLane;             // kLoop, kIf
  std::uint32_t least = 1;           // kLoop: the fewest rounds
  std::uint32_t most = 1;            // kLoop: the most rounds
  std::uint32_t counter = kNoValue;  // kLoop: index of the value
  std::uint64_t fraction = 0;        // kIf: of 2^32 lanes, warps or blocks that take `body`
  std::vector<SyntheticEntry> body;
  std::vector<SyntheticEntry> otherwise;  // kIf: the `else`

  SyntheticPhase phase;  // kPhase; lay_out() determines its pc
};

struct SyntheticKernel {
  std::uint64_t blocks = 1;
  BlockShape shape;
  std::uint64_t seed = 1;
  std::vector<SyntheticValue> values;
  std::vector<SyntheticEntry> code;
};

}  // namespace heddle
