#pragma once
// Executes atomic operations of a warp, lane by lane from the lowest one on.

#include <cstdint>

#include "stimuli/ptx/lanes/lane_memory.h"
#include "stimuli/ptx/statements/statement.h"

namespace heddle::ptx {

// `old` receives the old values unless it is null. `a` is the source, and `b` is the second source of cas.
// Rows have the width of the operands' type; values of 16 bits lie in 32.
struct AtomicRows {
  void* old = nullptr;
  const void* a = nullptr;
  const void* b = nullptr;
};
using AtomicLanes = void (*)(const LanePlaces& places, std::uint32_t active, const AtomicRows& rows);

// Returns the function of an atom or a red. An f32 sum flushes subnormal numbers in global memory and keeps
// them in shared memory (PTX ISA, atom).
AtomicLanes atomic_lanes(const Statement& statement, bool shared);

}  // namespace heddle::ptx
