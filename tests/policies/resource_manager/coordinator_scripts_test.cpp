// Random scripts of phases and barriers end, and what would keep them from ending.

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "models/core/base/random.h"
#include "tests/policies/resource_manager/coordinators.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

using Needs = Coordinator::Needs;
using Resource = Coordinator::Resource;
using WarpMask = Coordinator::WarpMask;

// Blocks whose warps have the same random script of phases and barriers, on a random SM. The warp that goes
// on is drawn, too.
class Scripts {
 public:
  Scripts(std::uint64_t seed, const Coordinator::Spec& means) : random_(seed), coordinator_(spec(means)) {
    warps_ = 1 + below(16);
    blocks_ = 5 + below(20);
    entry_ = needs();
    for (std::uint32_t steps = 1 + below(6); steps > 0; --steps)
      script_.push_back(below(3) == 0 ? Step{true, {}} : Step{false, needs()});
  }

  // Returns whether all blocks end.
  bool end() {
    while (done_ < blocks_) {
      for (std::uint32_t block = 0; block < kBlocks; ++block) start(block);
      const WarpMask ready = coordinator_.schedulable() & ~waiting();
      if (ready == 0) return false;
      step(drawn(ready));
      EXPECT_TRUE(coordinator_.closes());
      coordinator_.transfers().clear();
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kBlocks = 16;
  static constexpr std::uint32_t kKernels = 2;
  struct Step {
    bool is_barrier;
    Needs needs;
  };

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); }
  Needs needs() { return {below(17), below(49)}; }
  Coordinator::Spec spec(Coordinator::Spec means) {
    means.tables = {MappingTable::Shape{64, 1, 1 + below(48), 0}, MappingTable::Shape{kBlocks, 48, 48, 0},
                    MappingTable::Shape{64, 16, 32 + below(225), 0}};
    means.threshold = 0.1 * below(3);
    means.swapped_sets = static_cast<Coordinator::SwappedSets>(below(3));
    means.floor_counts = static_cast<Coordinator::FloorCounts>(below(3));
    return means;
  }
  std::uint32_t drawn(WarpMask mask) {
    for (std::uint32_t skip = below(static_cast<std::uint32_t>(__builtin_popcountll(mask))); skip > 0; --skip)
      mask &= mask - 1;
    return static_cast<std::uint32_t>(__builtin_ctzll(mask));
  }

  void start(std::uint32_t block) {
    if (live_[block] != 0 || started_ == blocks_) return;
    WarpMask mine = 0;
    WarpMask free = ~used_;
    for (std::uint32_t i = 0; i < warps_; ++i, free &= free - 1) {
      if (free == 0) return;
      mine |= free & (~free + 1);
    }
    for (std::uint32_t warp = 0; warp < 64; ++warp)
      if ((mine >> warp & 1) != 0) at_[warp] = {block, 0};
    used_ |= mine;
    live_[block] = mine;
    ++started_;
    coordinator_.start_block(block % kKernels, block, mine, entry_);
  }

  void step(std::uint32_t warp) {
    Place& place = at_[warp];
    for (std::uint32_t i = coordinator_.table(Resource::kRegisters).held(warp); i > 0; --i)
      coordinator_.access(Resource::kRegisters, warp, i - 1);
    coordinator_.access(Resource::kSlots, warp, 0);
    if (below(50) == 0) {
      for (std::uint32_t kernel = 0; kernel < kKernels; ++kernel)
        coordinator_.end_epoch(kernel, below(2048), below(2048));
      coordinator_.end_epoch();
    }
    if (place.step == script_.size()) {
      end_warp(warp);
    } else if (const Step& next = script_[place.step++]; next.is_barrier) {
      coordinator_.wait(warp);
      arrived_[place.block] |= WarpMask{1} << warp;
      open(place.block);
    } else {
      coordinator_.start_phase(warp, next.needs);
    }
  }

  void end_warp(std::uint32_t warp) {
    const std::uint32_t block = at_[warp].block;
    used_ &= ~(WarpMask{1} << warp);
    live_[block] &= ~(WarpMask{1} << warp);
    coordinator_.end_warp(warp);
    if (live_[block] != 0) return open(block);
    coordinator_.end_block(block);
    ++done_;
  }

  WarpMask waiting() const {
    return std::accumulate(arrived_.begin(), arrived_.end(), WarpMask{0}, std::bit_or<WarpMask>());
  }

  void open(std::uint32_t block) {
    if (arrived_[block] == 0 || (arrived_[block] & live_[block]) != live_[block]) return;
    const WarpMask all = arrived_[block];
    arrived_[block] = 0;
    coordinator_.go_on(all);
  }

  struct Place {
    std::uint32_t block = 0;
    std::size_t step = 0;
  };
  Random random_;
  Coordinator coordinator_;
  std::uint32_t warps_ = 0;
  std::uint32_t blocks_ = 0;
  Needs entry_;
  std::vector<Step> script_;
  std::array<Place, 64> at_{};
  std::array<WarpMask, kBlocks> live_{};
  std::array<WarpMask, kBlocks> arrived_{};
  WarpMask used_ = 0;
  std::uint32_t started_ = 0;
  std::uint32_t done_ = 0;
};

int scripts() {
  return full_size() ? 100000 : 1000;
}

int deadlocks(int scripts, const Coordinator::Spec& means) {
  int deadlocks = 0;
  for (int seed = 0; seed < scripts; ++seed)
    deadlocks += Scripts(static_cast<std::uint64_t>(seed), means).end() ? 0 : 1;
  return deadlocks;
}

TEST(Coordinator, EndsEveryRandomScriptOfPhasesAndBarriers) {
  EXPECT_EQ(deadlocks(scripts(), {}), 0);
}

TEST(Coordinator, DeadlocksWithoutTheFloor) {
  Coordinator::Spec means;
  means.floor = 0;
  EXPECT_GT(deadlocks(100, means), 0);
}

TEST(Coordinator, DeadlocksIfWaitingWarpsKeepTheirSlots) {
  Coordinator::Spec means;
  means.waiting_warps_release_slots = false;
  EXPECT_GT(deadlocks(100, means), 0);
}

// The order of the queues saves resources, but the floor alone prevents deadlock: while no warp is
// schedulable, a warp that has a slot gets its registers and shared memory, and any other one gets the slot
// of a waiting warp.
TEST(Coordinator, DoesNotNeedTheOrderOfItsQueuesToEnd) {
  Coordinator::Spec means;
  means.ordered_queues = false;
  EXPECT_EQ(deadlocks(scripts(), means), 0);
}

}  // namespace
}  // namespace heddle
