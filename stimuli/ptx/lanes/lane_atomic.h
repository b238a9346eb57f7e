#pragma once
// Read-modify-write by the lanes of a warp, one after the other from the lowest on.

#include <cstdint>

#include "stimuli/ptx/lanes/lane_memory.h"
#include "stimuli/ptx/text/statement.h"

namespace heddle::ptx {

// `old`: takes what was there; null: nothing wants it. Rows are of the width of the operands' type, those of
// 16 bits lie in 32. `a`, and of cas `b`: sources.
struct AtomicRows {
  void* old = nullptr;
  const void* a = nullptr;
  const void* b = nullptr;
};
using AtomicLanes = void (*)(const LanePlaces& places, std::uint32_t active, const AtomicRows& rows);

// Of an atom or red. In global memory an f32 sum flushes subnormal numbers, in shared memory it does not (PTX
// ISA, atom).
AtomicLanes atomic_lanes(const Statement& statement, bool shared);

}  // namespace heddle::ptx
