#pragma once
// A Barrier is one barrier of a thread block. Pure logic.

#include <cstdint>

#include "models/core/kernel/instruction.h"

namespace heddle {

// A mask has a bit for each warp, by the caller's numbers.
struct Barrier {
  std::uint64_t arrived = 0;   // warps that have arrived since the barrier opened last
  std::uint64_t waiting = 0;   // those of them that wait
  std::uint32_t arrivals = 0;  // a warp that does not wait may arrive again
  std::uint32_t opens_at =
      0;  // arrivals, as the last arrival said; 0: all warps of the block that have not ended

  void arrive(std::uint64_t warp, const Instruction& code) {
    arrived |= warp;
    ++arrivals;
    opens_at = code.barrier_warps;
    if (!code.arrives) waiting |= warp;
  }
  // `running` has the warps that have not ended. The caller that opens the barrier releases the warps of
  // `waiting` and assigns a new Barrier.
  bool opens(std::uint64_t running) const {
    return arrivals > 0 && (opens_at == 0 ? (running & ~arrived) == 0 : arrivals >= opens_at);
  }
};
constexpr std::uint32_t kBarriers = 16;  // of a block

}  // namespace heddle
