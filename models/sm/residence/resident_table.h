#pragma once
// The ResidentTable has the thread blocks and warps that are resident on an SM, and bit masks over the warp
// slots that say which warps may issue at all. What a warp's next instruction waits for is known to the
// pipeline (models/sm/residence/issue_masks.h).

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/core/kernel/barrier.h"
#include "models/core/kernel/cluster_messages.h"
#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/saved_block.h"
#include "models/core/kernel/sm_work.h"
#include "models/sm/residence/warp_mask.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

// A block that is to leave for swap space stops, and its state is stored when its instructions in flight have
// completed. The state of a block that goes on is loaded before its warps issue.
enum class SwapStage : std::uint8_t { kNone, kStops, kStores, kLoads };

// A BlockIssues has what the warps of a block have issued, by unit. An instruction counts here, because the
// block is at hand then; the KernelCounts take it over with SmWork.
struct BlockIssues {
  std::array<std::uint64_t, kUnitKinds> instructions{};
  std::array<std::uint64_t, kUnitKinds> lanes{};
  std::uint64_t tensor_products = 0;
  std::uint64_t register_reads = 0;
  std::uint64_t register_writes = 0;
  std::uint64_t spills = 0;

  void count(UnitKind unit, const Instruction& code, std::uint32_t active_lanes) {
    ++instructions[static_cast<std::size_t>(unit)];
    lanes[static_cast<std::size_t>(unit)] += active_lanes;
    register_reads += code.register_reads;
    register_writes += code.register_writes;
    if (code.tensor_products != 0) tensor_products += code.tensor_products;
    if (code.spills) ++spills;
  }
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
  bool starting = false;     // they do not until the cycle `starts`
  Cycle starts;
  bool flushed = false;  // it is to start over
  WarpMask running = 0;  // the warps that have not ended
  std::array<Barrier, kBarriers> barriers{};
  std::uint32_t warps_left = 0;                  // warps that have not retired
  std::uint32_t warps = 0;                       // of a block that has just started
  BlockIssues issues;                            // on this SM, since the block came
  SmWork earlier;                                // before that
  std::shared_ptr<const ClusterPlaces> cluster;  // null: it is the only one of its cluster
  SwapStage swap_stage = SwapStage::kNone;       // its warps issue in kNone only
  std::shared_ptr<SavedBlock> saved;             // its state, if it leaves
};

struct ResidentWarp {
  std::uint8_t number = 0;  // in its block
  std::uint8_t block = 0;   // slot of its block
  std::uint8_t phase = 0;   // with a resource manager: the present one
};

struct ResidentTable {
  std::array<ResidentWarp, kMostWarps> warps{};
  std::vector<ResidentBlock> blocks;
  std::uint32_t resident = 0;  // number of blocks

  WarpMask live = 0;  // the warp has an instruction to issue, now or later
  WarpMask at_barrier = 0;
  WarpMask paused = 0;    // the warp is live, and its block is paused
  WarpMask at_fence = 0;  // with a resource manager: the warp waits at a fence
  // The warp is live, waits neither at a barrier nor at a fence, and waits for registers, shared memory or a
  // slot.
  WarpMask pending = 0;
  WarpMask awake = 0;  // live, and neither paused nor pending
  // At a barrier, paused or pending: the warp cannot issue, whatever its next instruction.
  WarpMask held = 0;
  std::uint32_t schedulable = 0;  // number of warps that are awake and not at a barrier

  // Empties every warp slot and block slot.
  void reset() {
    warps.fill(ResidentWarp{});
    std::fill(blocks.begin(), blocks.end(), ResidentBlock{});
    live = at_barrier = at_fence = paused = pending = awake = held = 0;
    resident = schedulable = 0;
  }

  // Called after `live`, `at_barrier`, `paused` or `pending` has changed.
  void update_derived() {
    awake = live & ~(paused | pending);
    held = at_barrier | paused | pending;
    schedulable = static_cast<std::uint32_t>(__builtin_popcountll(awake & ~at_barrier));
  }

  ResidentBlock& block_of(std::uint32_t warp) { return blocks[warps[warp].block]; }
  const ResidentBlock& block_of(std::uint32_t warp) const { return blocks[warps[warp].block]; }
  std::uint32_t slot_of(const ResidentBlock& block) const {
    return static_cast<std::uint32_t>(&block - blocks.data());
  }
};

}  // namespace heddle
