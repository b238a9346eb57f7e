#pragma once
// One barrier of a thread block. Pure logic.

#include <cstdint>

#include "models/core/kernel/instruction.h"

namespace heddle {

// Masks have a bit for each warp, as the caller numbers them.
struct Barrier {
  std::uint64_t arrived = 0;   // since it was last open
  std::uint64_t waiting = 0;   // of those, the ones that did not go on
  std::uint32_t arrivals = 0;  // a warp that goes on may come again
  std::uint32_t opens_at =
      0;  // arrivals, as the last one said; 0: all warps of the block that have not ended

  void arrive(std::uint64_t warp, const Instruction& code) {
    arrived |= warp;
    ++arrivals;
    opens_at = code.barrier_warps;
    if (!code.arrives) waiting |= warp;
  }
  // running: the warps that have not ended. Whoever opens it lets `waiting` go and makes it new.
  bool opens(std::uint64_t running) const {
    return arrivals > 0 && (opens_at == 0 ? (running & ~arrived) == 0 : arrivals >= opens_at);
  }
};
constexpr std::uint32_t kBarriers = 16;  // of a block

}  // namespace heddle
