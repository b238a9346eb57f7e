// Which warps of an SM may be scheduled when registers, shared memory and warp slots are virtual.

#include "policies/resource_manager/coordinator.h"

#include <gtest/gtest.h>

#include "tests/policies/resource_manager/coordinators.h"

namespace heddle {
namespace {

using Needs = Coordinator::Needs;
using Resource = Coordinator::Resource;
using WarpMask = Coordinator::WarpMask;

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

// The floor is one of occupancy (Section 5.3): warps that wait for resources are resident, too.
TEST(Coordinator, OversubscribesPastItsThresholdWhileTooFewWarpsAreResidentOrNoneIsSchedulable) {
  Coordinator::Spec spec = oversubscribed(10, 48, 10, 0);
  spec.floor = 0.3;
  Coordinator coordinator(spec);
  coordinator.start_block(0, 0, warps(0, 2), {10, 0});  // two of ten slots
  EXPECT_EQ(coordinator.schedulable(), warps(0, 2));
  EXPECT_EQ(coordinator.table(Resource::kRegisters).swapped(), 10u);
  coordinator.start_block(0, 1, warps(2, 2), {10, 0});
  EXPECT_EQ(coordinator.schedulable(), warps(0, 2));
  coordinator.wait(0);
  EXPECT_EQ(coordinator.schedulable(), warps(1, 1));
  coordinator.wait(1);
  EXPECT_EQ(coordinator.schedulable(), warps(2, 1));
  EXPECT_EQ(coordinator.table(Resource::kRegisters).swapped(), 20u);
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

TEST(Coordinator, MayCountOtherWarpsForTheFloor) {
  using FloorCounts = Coordinator::FloorCounts;
  Coordinator::Spec spec = oversubscribed(8, 48, 8, 0);
  spec.floor = 0.3;  // 2.4 warps
  for (const FloorCounts counts :
       {FloorCounts::kResident, FloorCounts::kHolding, FloorCounts::kSchedulable}) {
    spec.floor_counts = counts;
    Coordinator coordinator(spec);
    coordinator.start_block(0, 0, warps(0, 4), {2, 0});
    coordinator.wait(0);
    coordinator.wait(1);
    coordinator.start_block(0, 1, warps(4, 1), {2, 0});
    EXPECT_EQ(coordinator.schedulable(), counts == FloorCounts::kSchedulable ? warps(2, 3) : warps(2, 2));
    coordinator.wait(2);
    coordinator.wait(3);  // no warp is left
    EXPECT_EQ(coordinator.schedulable(), warps(4, 1));

    Coordinator full(spec);
    full.start_block(0, 0, warps(0, 1), {8, 0});
    full.start_block(0, 1, warps(1, 3), {2, 0});
    EXPECT_EQ(full.schedulable(), counts == FloorCounts::kResident ? warps(0, 1) : warps(0, 3));
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

TEST(Coordinator, CountsTheSlotsThatNoWarpHoldsOrWaitsFor) {
  for (const bool waiting_are_free : {false, true}) {
    Coordinator::Spec spec = oversubscribed(8, 48, 4, 0);
    spec.waiting_slots_are_free = waiting_are_free;
    Coordinator coordinator(spec);
    EXPECT_EQ(coordinator.free_slots(), 8u);
    coordinator.start_block(0, 0, warps(0, 6), {1, 0});  // two of them have no register, but will need a slot
    EXPECT_EQ(coordinator.free_slots(), 2u);
    coordinator.wait(0);
    EXPECT_EQ(coordinator.free_slots(), waiting_are_free ? 3u : 2u);
    coordinator.start_block(0, 1, warps(6, 4), {1, 0});
    EXPECT_EQ(coordinator.free_slots(), 0u);
    coordinator.go_on(warps(0, 1));
    EXPECT_EQ(coordinator.free_slots(), 0u);
    coordinator.end_warp(1);
    coordinator.end_warp(2);
    coordinator.end_warp(3);
    EXPECT_EQ(coordinator.free_slots(), 1u);
  }
}

TEST(Coordinator, CountsNoSlotForAWaitingWarpOnceItIsLent) {
  Coordinator coordinator(physical(2, 48, 16));
  coordinator.start_block(0, 0, warps(0, 3), {4, 0});
  coordinator.wait(0);  // warp 2 has its slot now
  EXPECT_EQ(coordinator.schedulable(), warps(1, 2));
  EXPECT_EQ(coordinator.free_slots(), 0u);
  coordinator.end_warp(1);
  EXPECT_EQ(coordinator.free_slots(), 1u);
  coordinator.go_on(warps(0, 1));
  EXPECT_EQ(coordinator.free_slots(), 0u);
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

TEST(Coordinator, FetchesASetThatIsAccessedUnlessItIsAccessedInPlace) {
  for (const bool fetches : {false, true}) {
    Coordinator::Spec spec = oversubscribed(8, 48, 4, 1);
    if (!fetches) spec.swapped_sets = Coordinator::SwappedSets::kAccessedInPlace;
    Coordinator coordinator(spec);
    coordinator.start_block(0, 0, warps(0, 2), {4, 0});
    EXPECT_FALSE(coordinator.access(Resource::kRegisters, 0, 0));
    EXPECT_FALSE(coordinator.access(Resource::kRegisters, 0, 0));  // no physical set is free
    coordinator.end_warp(1);
    EXPECT_EQ(coordinator.table(Resource::kRegisters).swapped_of_group(0), 4u);
    EXPECT_FALSE(coordinator.access(Resource::kRegisters, 0, 0));
    EXPECT_EQ(coordinator.access(Resource::kRegisters, 0, 0), fetches);
    EXPECT_EQ(coordinator.table(Resource::kRegisters).swapped_of_group(0), fetches ? 3u : 4u);
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

}  // namespace
}  // namespace heddle
