#pragma once
// The warps and thread blocks resident on an SM, and for each pipeline question a bit mask over warp slots:
// the schedulers look at masks, never at every warp.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/core/kernel/barrier.h"
#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/sm_work.h"
#include "models/sm/cycle_spec.h"
#include "models/sm/scoreboard.h"

namespace heddle {

using WarpMask = std::uint64_t;  // a bit per warp slot
constexpr std::uint32_t kMostWarps = 64;

inline std::uint32_t lowest(WarpMask mask) {
  return static_cast<std::uint32_t>(__builtin_ctzll(mask));
}
inline WarpMask bit(std::uint32_t slot) {
  return WarpMask{1} << slot;
}

// The warp slots of the first of so many schedulers: slot mod schedulers. Those of the i-th: shifted left by
// i.
inline WarpMask warps_of_first(std::uint32_t schedulers) {
  WarpMask mask = 0;
  for (std::uint32_t slot = 0; slot < kMostWarps; slot += schedulers) mask |= bit(slot);
  return mask;
}

// Calls f(slot) for each bit of the mask, lowest first.
template <class F>
void for_each_slot(WarpMask mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(lowest(mask));
}

// What every instruction needs comes first: one line of the host's cache.
struct alignas(64) Warp {
  BlockStream* stream = nullptr;
  std::uint8_t number = 0;      // in its block
  std::uint8_t block = 0;       // slot
  std::uint8_t buffered = 0;    // instructions
  std::uint8_t next_on = 0;     // the unit of its next instruction, where one is buffered
  std::uint16_t in_flight = 0;  // issued, neither written back nor handed to memory as a store
  std::uint16_t stores = 0;     // unanswered
  std::array<const Instruction*, CycleSmSpec::kMostBuffer> buffer{};  // instruction buffer, oldest first
  Scoreboard scoreboard;
};

struct ResidentBlock {
  BlockStream* stream = nullptr;  // null: the slot is free
  BlockId block;
  KsrId ksr;
  ContextId context;
  std::uint32_t tag = 0;  // of its kernel's code
  Cycle started;          // core cycle
  WarpMask warps = 0;     // its slots
  WarpMask running = 0;   // of those, the ones not ended
  std::array<Barrier, kBarriers> barriers{};
  std::uint32_t warps_left = 0;  // not retired
  BlockResources need;
  SmWork work;
};

struct WarpTable {
  std::array<Warp, kMostWarps> warps;
  std::vector<ResidentBlock> blocks;

  WarpMask live = 0;         // has an instruction to issue, now or later
  WarpMask buffered = 0;     // has one in its buffer
  WarpMask wait_alu = 0;     // its next one waits for a register of a unit
  WarpMask wait_memory = 0;  // ... of a load, or at a fence for its stores
  WarpMask at_barrier = 0;
  std::array<WarpMask, kUnitKinds> next_on{};  // its next instruction is for this unit

  // No warp and no block is resident afterwards.
  void reset() {
    warps.fill(Warp{});
    std::fill(blocks.begin(), blocks.end(), ResidentBlock{});
    live = buffered = wait_alu = wait_memory = at_barrier = 0;
    next_on = {};
  }

  // Those whose next instruction may issue if its unit has room.
  WarpMask ready() const { return buffered & ~(wait_alu | wait_memory | at_barrier); }
};

}  // namespace heddle
