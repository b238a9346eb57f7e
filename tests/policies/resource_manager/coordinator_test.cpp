// Which warps of an SM may be scheduled when registers, shared memory and warp slots are virtual.

#include "policies/resource_manager/coordinator.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

using Needs = Coordinator::Needs;
using Resource = Coordinator::Resource;
using WarpMask = Coordinator::WarpMask;

constexpr WarpMask warps(std::uint32_t first, std::uint32_t count) {
  return ((WarpMask{1} << count) - 1) << first;
}

// An SM with so many warp slots, sets of shared memory and sets of registers, without swap space.
Coordinator::Spec physical(std::uint32_t slots, std::uint32_t shared, std::uint32_t registers) {
  Coordinator::Spec spec;
  spec.tables = {MappingTable::Shape{64, 1, slots, 0}, MappingTable::Shape{16, 48, shared, 0},
                 MappingTable::Shape{64, 16, registers, 0}};
  spec.oversubscribes = false;
  return spec;
}

// The same with swap space. No warp is schedulable for the floor alone.
Coordinator::Spec oversubscribed(std::uint32_t slots, std::uint32_t shared, std::uint32_t registers,
                                 double threshold) {
  Coordinator::Spec spec = physical(slots, shared, registers);
  spec.oversubscribes = true;
  spec.threshold = threshold;
  spec.floor = 0;
  return spec;
}

TEST(Coordinator, SchedulesTheWarpsWhoseResourcesAreFree) {
  Coordinator coordinator(physical(8, 48, 10));
  coordinator.start_block(0, 0, warps(0, 4), {3, 0});
  EXPECT_EQ(coordinator.schedulable(), warps(0, 3));
  coordinator.end_warp(1);
  EXPECT_EQ(coordinator.schedulable(), WarpMask{0b1101});
  EXPECT_TRUE(coordinator.closes());
}

TEST(Coordinator, LetsAWarpTakeAllThatItLacksOrNothing) {
  Coordinator coordinator(physical(8, 4, 10));
  coordinator.start_block(0, 0, warps(0, 2), {2, 4});
  coordinator.start_block(0, 1, warps(2, 2), {2, 4});  // its shared memory is not free
  EXPECT_EQ(coordinator.schedulable(), warps(0, 2));
  EXPECT_EQ(coordinator.table(Resource::kRegisters).free(), 6u);
  EXPECT_EQ(coordinator.table(Resource::kSlots).free(), 6u);
  coordinator.end_warp(0);
  coordinator.end_warp(1);
  EXPECT_EQ(coordinator.schedulable(), 0u);  // shared memory is held to the end of the block
  coordinator.end_block(0);
  EXPECT_EQ(coordinator.schedulable(), warps(2, 2));
}

TEST(Coordinator, GivesTheRegistersThatAPhaseDoesNotNeedToOtherWarps) {
  Coordinator coordinator(physical(8, 48, 10));
  coordinator.start_block(0, 0, warps(0, 2), {8, 0});
  EXPECT_EQ(coordinator.schedulable(), warps(0, 1));
  coordinator.start_phase(0, {2, 0});
  EXPECT_EQ(coordinator.schedulable(), warps(0, 2));
  coordinator.start_phase(0, {4, 0});  // two more than are free
  EXPECT_EQ(coordinator.schedulable(), warps(1, 1));
  coordinator.start_phase(1, {6, 0});
  EXPECT_EQ(coordinator.schedulable(), warps(0, 2));
}

TEST(Coordinator, ServesWarpsThatHoldMoreBeforeWarpsThatCameEarlier) {
  Coordinator coordinator(physical(8, 48, 8));
  coordinator.start_block(0, 0, warps(0, 2), {4, 0});
  coordinator.start_block(0, 1, warps(2, 1), {2, 0});  // waits in the thread queue
  coordinator.start_phase(0, {5, 0});                  // waits in the register queue
  EXPECT_EQ(coordinator.schedulable(), warps(1, 1));
  coordinator.start_phase(1, {3, 0});  // one set: enough for warp 0 alone
  EXPECT_EQ(coordinator.schedulable(), warps(0, 2));
}

TEST(Coordinator, ServesOneQueueInTheOrderOfArrivalIfQueuesAreNotOrdered) {
  Coordinator::Spec spec = physical(8, 48, 8);
  spec.ordered_queues = false;
  Coordinator coordinator(spec);
  coordinator.start_block(0, 0, warps(0, 2), {4, 0});
  coordinator.start_block(0, 1, warps(2, 1), {1, 0});
  coordinator.start_phase(0, {5, 0});
  coordinator.start_phase(1, {3, 0});
  EXPECT_EQ(coordinator.schedulable(), warps(1, 2));
}

TEST(Coordinator, LetsNoWarpPassOneThatWaitsInStrictOrder) {
  for (const bool strict : {false, true}) {
    Coordinator::Spec spec = physical(8, 48, 10);
    spec.strict_order = strict;
    Coordinator coordinator(spec);
    coordinator.start_block(0, 0, warps(0, 2), {6, 0});
    coordinator.start_block(0, 1, warps(2, 2), {1, 0});
    EXPECT_EQ(coordinator.schedulable(), strict ? WarpMask{0b0001} : WarpMask{0b1101});
    coordinator.end_warp(0);
    EXPECT_EQ(coordinator.schedulable(), WarpMask{0b1110});
  }
}

TEST(Coordinator, LendsTheSlotOfAWaitingWarpAndKeepsItsRegisters) {
  Coordinator coordinator(physical(2, 48, 16));
  coordinator.start_block(0, 0, warps(0, 3), {4, 0});
  EXPECT_EQ(coordinator.schedulable(), warps(0, 2));
  coordinator.wait(0);
  EXPECT_EQ(coordinator.schedulable(), warps(1, 2));
  EXPECT_EQ(coordinator.table(Resource::kRegisters).held(0), 4u);
  ASSERT_EQ(coordinator.transfers().size(), 1u);  // the state of warp 0 is stored
  EXPECT_FALSE(coordinator.transfers()[0].is_load);
  EXPECT_EQ(coordinator.transfers()[0].row, 0u);
  coordinator.wait(1);
  coordinator.wait(2);
  coordinator.go_on(warps(0, 3));
  EXPECT_EQ(coordinator.schedulable(), warps(1, 2));  // they still have their slots
  coordinator.end_warp(1);
  EXPECT_EQ(coordinator.schedulable(), WarpMask{0b101});
  ASSERT_EQ(coordinator.transfers().size(), 2u);
  EXPECT_TRUE(coordinator.transfers()[1].is_load);
}

TEST(Coordinator, DoesNotStoreTheStateOfAWaitingWarpWhoseSlotNoWarpNeeds) {
  Coordinator coordinator(physical(4, 48, 16));
  coordinator.start_block(0, 0, warps(0, 2), {4, 0});
  coordinator.wait(0);
  coordinator.wait(1);
  coordinator.go_on(warps(0, 2));
  EXPECT_EQ(coordinator.schedulable(), warps(0, 2));
  EXPECT_TRUE(coordinator.transfers().empty());
}

TEST(Coordinator, OversubscribesUpToItsThreshold) {
  Coordinator coordinator(oversubscribed(8, 48, 20, 0.1));  // two sets of registers
  coordinator.start_block(0, 0, warps(0, 2), {10, 0});
  coordinator.start_block(0, 1, warps(2, 1), {3, 0});
  EXPECT_EQ(coordinator.schedulable(), warps(0, 2));
  coordinator.start_block(0, 2, warps(3, 1), {2, 0});
  EXPECT_EQ(coordinator.schedulable(), WarpMask{0b1011});
  EXPECT_EQ(coordinator.table(Resource::kRegisters).swapped(), 2u);
  EXPECT_EQ(coordinator.transfers().size(), 2u);
  EXPECT_TRUE(coordinator.closes());
}

TEST(Coordinator, OversubscribesPastItsThresholdWhileTooFewWarpsAreSchedulable) {
  Coordinator::Spec spec = oversubscribed(10, 48, 10, 0);
  spec.floor = 0.2;
  Coordinator coordinator(spec);
  coordinator.start_block(0, 0, warps(0, 4), {10, 0});
  EXPECT_EQ(coordinator.schedulable(), warps(0, 2));  // the second one is below a fifth of ten slots
  EXPECT_EQ(coordinator.table(Resource::kRegisters).swapped(), 10u);
  coordinator.wait(0);
  EXPECT_EQ(coordinator.schedulable(), WarpMask{0b0110});
}

TEST(Coordinator, ReplacesTheWarpThatIssuedLeastIfSlotsAreOversubscribed) {
  Coordinator coordinator(oversubscribed(4, 48, 200, 0.25));
  coordinator.start_block(0, 0, warps(0, 4), {1, 0});
  for (const std::uint32_t warp : {0u, 1u, 3u}) coordinator.access(Resource::kSlots, warp, 0);
  coordinator.start_block(0, 1, warps(4, 2), {1, 0});
  EXPECT_EQ(coordinator.schedulable(), WarpMask{0b11011});
  coordinator.end_warp(0);
  EXPECT_EQ(coordinator.schedulable(), WarpMask{0b111010});  // warp 5 came before warp 2 lost its slot
  coordinator.end_warp(1);
  EXPECT_EQ(coordinator.schedulable(), WarpMask{0b111100});
  EXPECT_EQ(coordinator.table(Resource::kSlots).swapped(), 0u);
}

TEST(Coordinator, MayCountTheWarpsThatWaitForTheFloor) {
  Coordinator::Spec spec = oversubscribed(8, 48, 8, 0);
  spec.floor = 0.3;  // 2.4 warps
  for (const bool counts_waiting : {false, true}) {
    spec.floor_counts_waiting = counts_waiting;
    Coordinator coordinator(spec);
    coordinator.start_block(0, 0, warps(0, 4), {2, 0});
    coordinator.wait(0);
    coordinator.wait(1);
    coordinator.start_block(0, 1, warps(4, 1), {2, 0});
    EXPECT_EQ(coordinator.schedulable(), counts_waiting ? warps(2, 2) : warps(2, 3));
    coordinator.wait(2);
    coordinator.wait(3);  // no warp is left
    EXPECT_EQ(coordinator.schedulable(), warps(4, 1));
  }
}

// Algorithm 1, with the numbers of Table 1.
TEST(Coordinator, MovesItsThresholdsByTheChangesOfIdleAndMemoryCycles) {
  Coordinator coordinator(oversubscribed(100, 48, 100, 0.1));
  const auto threshold_after = [&](std::uint64_t idle, std::uint64_t memory) {
    coordinator.end_epoch(0, idle, memory);
    return coordinator.threshold(Resource::kRegisters);
  };
  EXPECT_DOUBLE_EQ(coordinator.threshold(Resource::kRegisters), 10);
  EXPECT_DOUBLE_EQ(threshold_after(100, 0), 14);    // more idle cycles
  EXPECT_DOUBLE_EQ(threshold_after(116, 0), 14);    // by no more than 16
  EXPECT_DOUBLE_EQ(threshold_after(133, 0), 18);    // by 17
  EXPECT_DOUBLE_EQ(threshold_after(133, 500), 14);  // more cycles of waiting for memory
  EXPECT_DOUBLE_EQ(threshold_after(100, 460), 14);  // both fell, by nearly the same
  EXPECT_DOUBLE_EQ(threshold_after(0, 460), 10);    // an SM that is less idle needs no more warps
  for (int i = 1; i < 6; ++i) threshold_after(0, 460 + i * 100);
  EXPECT_DOUBLE_EQ(coordinator.threshold(Resource::kRegisters), 0);
}

TEST(Coordinator, MayCompareTheCyclesOfAnEpochAndNotTheirChanges) {
  Coordinator::Spec spec = oversubscribed(100, 48, 100, 0.1);
  spec.compares_changes = false;
  Coordinator coordinator(spec);
  for (const double threshold : {6.0, 2.0, 0.0}) {  // equal epochs, in which memory is the limit
    coordinator.end_epoch(0, 100, 900);
    EXPECT_DOUBLE_EQ(coordinator.threshold(Resource::kRegisters), threshold);
  }
  coordinator.end_epoch(0, 500, 484);
  EXPECT_DOUBLE_EQ(coordinator.threshold(Resource::kRegisters), 0);
  coordinator.end_epoch(0, 501, 484);
  EXPECT_DOUBLE_EQ(coordinator.threshold(Resource::kRegisters), 4);
}

TEST(Coordinator, CountsTheSlotsThatItsWarpsDoNotNeed) {
  Coordinator coordinator(oversubscribed(8, 48, 4, 0));
  EXPECT_EQ(coordinator.free_slots(), 8u);
  coordinator.start_block(0, 0, warps(0, 6), {1, 0});  // two of them have no register, but will need a slot
  EXPECT_EQ(coordinator.free_slots(), 2u);
  coordinator.wait(0);
  EXPECT_EQ(coordinator.free_slots(), 3u);
  coordinator.start_block(0, 1, warps(6, 4), {1, 0});
  EXPECT_EQ(coordinator.free_slots(), 0u);
  coordinator.go_on(warps(0, 1));
  EXPECT_EQ(coordinator.free_slots(), 0u);
  coordinator.end_warp(1);
  coordinator.end_warp(2);
  coordinator.end_warp(3);
  EXPECT_EQ(coordinator.free_slots(), 1u);
}

TEST(Coordinator, EachKernelHasThresholdsOfItsOwnAndPaysWithItsOwnSets) {
  Coordinator coordinator(oversubscribed(8, 48, 20, 0.1));  // two sets of each kernel
  coordinator.set_kernel(3);
  coordinator.start_block(0, 0, warps(0, 2), {5, 0});
  coordinator.start_block(3, 1, warps(2, 2), {5, 0});
  coordinator.start_block(3, 2, warps(4, 2), {2, 0});  // the second one is beyond two sets
  EXPECT_EQ(coordinator.schedulable(), WarpMask{0b11111});
  const MappingTable& registers = coordinator.table(Resource::kRegisters);
  EXPECT_EQ(registers.swapped_of_group(0), 0u);
  EXPECT_EQ(registers.swapped_of_group(3), 2u);
  coordinator.start_block(0, 3, warps(6, 1), {2, 0});
  EXPECT_EQ(coordinator.schedulable(), WarpMask{0b1011111});
  EXPECT_EQ(registers.swapped_of_group(0), 2u);
  coordinator.end_epoch(3, 0, 1000);  // memory is the limit of kernel 3
  EXPECT_LT(coordinator.threshold(Resource::kRegisters, 3), coordinator.threshold(Resource::kRegisters, 0));
  coordinator.set_kernel(3);
  EXPECT_DOUBLE_EQ(coordinator.threshold(Resource::kRegisters, 3), 2);
  EXPECT_TRUE(coordinator.closes());
}

TEST(Coordinator, FetchesASetThatIsAccessedOnlyIfItIsAskedTo) {
  for (const bool fetches : {false, true}) {
    Coordinator::Spec spec = oversubscribed(8, 48, 4, 1);
    spec.swapped_sets =
        fetches ? Coordinator::SwappedSets::kFetched : Coordinator::SwappedSets::kAccessedInPlace;
    Coordinator coordinator(spec);
    coordinator.start_block(0, 0, warps(0, 2), {4, 0});
    coordinator.end_warp(1);
    EXPECT_EQ(coordinator.table(Resource::kRegisters).swapped_of_group(0), 4u);
    EXPECT_FALSE(coordinator.access(Resource::kRegisters, 0, 0));
    EXPECT_EQ(coordinator.access(Resource::kRegisters, 0, 0), fetches);
  }
}

TEST(Coordinator, StoresTheSetThatGoesWhereItLoadsTheOneThatComes) {
  Coordinator::Spec spec = oversubscribed(8, 48, 2, 1);
  spec.swapped_sets = Coordinator::SwappedSets::kExchanged;
  Coordinator coordinator(spec);
  coordinator.start_block(0, 0, warps(0, 2), {1, 0});
  coordinator.start_block(0, 1, warps(2, 1), {1, 0});  // replaces the set of warp 0
  for (int i = 0; i < 2; ++i) coordinator.end_epoch();
  coordinator.access(Resource::kRegisters, 2, 0);
  coordinator.transfers().clear();
  EXPECT_FALSE(coordinator.access(Resource::kRegisters, 0, 0));
  EXPECT_TRUE(coordinator.access(Resource::kRegisters, 0, 0));
  ASSERT_EQ(coordinator.transfers().size(), 2u);
  EXPECT_FALSE(coordinator.transfers()[0].is_load);
  EXPECT_EQ(coordinator.transfers()[0].row, 1u);
  EXPECT_TRUE(coordinator.transfers()[1].is_load);
  EXPECT_EQ(coordinator.transfers()[1].row, 0u);
}

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

// The order of the queues saves resources, but the floor alone prevents deadlock: while fewer warps are
// schedulable than it says, every warp that has a slot gets its registers and shared memory, and every other
// one gets the slot of a waiting warp.
TEST(Coordinator, DoesNotNeedTheOrderOfItsQueuesToEnd) {
  Coordinator::Spec means;
  means.ordered_queues = false;
  EXPECT_EQ(deadlocks(scripts(), means), 0);
}

}  // namespace
}  // namespace heddle
