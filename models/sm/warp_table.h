#pragma once
// The WarpTable has the warps and thread blocks that are resident on an SM, and bit masks over the warp
// slots, one for each question of the pipeline. The schedulers read the masks instead of every warp.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/core/kernel/barrier.h"
#include "models/core/kernel/copy_groups.h"
#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/saved_block.h"
#include "models/core/kernel/sm_work.h"
#include "models/sm/cycle_spec.h"
#include "models/sm/scoreboard.h"

namespace heddle {

using WarpMask = std::uint64_t;  // one bit for each warp slot
constexpr std::uint32_t kMostWarps = 64;

inline std::uint32_t lowest(WarpMask mask) {
  return static_cast<std::uint32_t>(__builtin_ctzll(mask));
}
inline WarpMask bit(std::uint32_t slot) {
  return WarpMask{1} << slot;
}

// Returns the warp slots of scheduler 0: warp slot s belongs to scheduler s mod `schedulers`. Shifted left by
// i, the mask is that of scheduler i.
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

// The members that every instruction needs come first, so that they share a line of the host's cache.
struct alignas(64) Warp {
  BlockStream* stream = nullptr;
  std::uint8_t number = 0;      // in its block
  std::uint8_t block = 0;       // slot of its block
  std::uint8_t buffered = 0;    // instructions in `buffer`
  std::uint8_t next_on = 0;     // unit of its next instruction, if one is buffered
  std::uint16_t in_flight = 0;  // issued, neither written back nor handed to memory as a store
  std::uint16_t stores = 0;     // store requests without an answer
  std::array<const Instruction*, CycleSmSpec::kMostBuffer> buffer{};  // instruction buffer, oldest first
  Scoreboard scoreboard;
  CopyGroups copies;
  std::uint16_t swap_loads = 0;  // loads from swap space that it waits for
  bool sources_read = false;     // the resource manager has seen that its next instruction reads registers
  std::uint8_t phase = 0;        // with a resource manager: the present one
};

// A block that is to leave for swap space stops, and its state is stored when its instructions in flight have
// completed. The state of a block that goes on is loaded before its warps issue.
enum class SwapStage : std::uint8_t { kNone, kStops, kStores, kLoads };

// A BlockIssues has what the warps of a block have issued, by unit. An instruction counts here, because the
// block is at hand then; the KernelCounts take it over with SmWork.
struct BlockIssues {
  std::array<std::uint64_t, kUnitKinds> instructions{};
  std::array<std::uint64_t, kUnitKinds> lanes{};
  std::uint64_t register_reads = 0;
  std::uint64_t register_writes = 0;
  std::uint64_t spills = 0;
};

struct ResidentBlock {
  BlockStream* stream = nullptr;  // null: the block slot is free
  BlockId block;
  KsrId ksr;
  ContextId context;
  AccountId account;         // of its launch
  std::uint32_t tag = 0;     // tag of the kernel, for the addresses of its code
  Cycle started;             // in core cycles
  std::uint64_t set_up = 0;  // number of its kernel's set-up; see WarpView
  std::uint64_t number = 0;  // counts the blocks started on the SM
  bool paused = false;       // its warps do not issue
  bool flushed = false;      // it is to start over
  WarpMask running = 0;      // the warps that have not ended
  std::array<Barrier, kBarriers> barriers{};
  std::uint32_t warps_left = 0;  // warps that have not retired
  BlockResources need;
  BlockIssues issues;                       // on this SM, since the block came
  SmWork earlier;                           // before that
  SwapStage swap_stage = SwapStage::kNone;  // its warps issue in kNone only
  SavedBlock* saved = nullptr;              // where its state goes
};

struct WarpTable {
  std::array<Warp, kMostWarps> warps;
  std::vector<ResidentBlock> blocks;

  WarpMask live = 0;      // the warp has an instruction to issue, now or later
  WarpMask buffered = 0;  // the warp has an instruction in its buffer
  WarpMask wait_alu = 0;  // the next instruction waits for a register that an arithmetic unit writes
  WarpMask wait_memory =
      0;  // the next instruction waits for a load, or at a fence or a wait for earlier accesses
  // One of the instructions that the warp may issue next takes turns (Instruction::takes_turns).
  WarpMask takes_turns = 0;
  WarpMask at_barrier = 0;
  WarpMask paused = 0;    // the warp is live, and its block is paused
  WarpMask at_fence = 0;  // with a resource manager: the warp waits at a fence
  // The warp is live, waits neither at a barrier nor at a fence, and waits for registers, shared memory or a
  // slot.
  WarpMask pending = 0;
  WarpMask awake = 0;  // live, and neither paused nor pending
  // At a barrier, paused or pending: the warp cannot issue, whatever its next instruction.
  WarpMask held = 0;
  std::uint32_t schedulable = 0;               // number of warps that are awake and not at a barrier
  std::array<WarpMask, kUnitKinds> next_on{};  // by unit: the next instruction executes there

  // Empties every warp slot and block slot.
  void reset() {
    warps.fill(Warp{});
    std::fill(blocks.begin(), blocks.end(), ResidentBlock{});
    live = buffered = wait_alu = wait_memory = at_barrier = at_fence = paused = pending = awake = held = 0;
    takes_turns = 0;
    schedulable = 0;
    next_on = {};
  }

  // Called after `live`, `at_barrier`, `paused` or `pending` has changed.
  void update_derived() {
    awake = live & ~(paused | pending);
    held = at_barrier | paused | pending;
    schedulable = static_cast<std::uint32_t>(__builtin_popcountll(awake & ~at_barrier));
  }
  // Returns the warps whose next instruction can issue if its unit has room.
  WarpMask ready() const { return buffered & ~(wait_alu | wait_memory | held); }
};

}  // namespace heddle
