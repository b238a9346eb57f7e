// The barriers of a block, arrival by arrival.

#include "stimuli/ptx/execute/block_barriers.h"

#include <gmock/gmock.h>

#include "tests/support/ptx/step_rig.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;
using Kind = Step::Kind;

struct BarrierRig : StepRig {
  BarrierRig(const std::string& body, std::uint32_t threads) : StepRig(body, "", threads) {
    barriers.start();
  }

  IssuedInstruction arrive(std::uint32_t warp, std::uint32_t active = kEveryLane,
                           std::uint32_t predicate = 0) {
    const WarpStep step = at(Kind::kBarrier, 0, active, warp);
    if (step.step.statement->opcode == Opcode::kBarRed) *step.warp.words_at(step.step.source[2]) = predicate;
    IssuedInstruction issued = issue(step);
    barriers.arrive(step, issued);
    return issued;
  }
  std::uint32_t result(std::uint32_t warp, std::uint32_t lane) {
    const WarpStep step = at(Kind::kBarrier, 0, kEveryLane, warp);
    return lane_of<std::uint32_t>(step, step.step.destination[0], lane);
  }

  BlockBarriers barriers{state, warps, faults};
};

TEST(PtxBlockBarriers, AReductionIsWrittenWhenTheLastWarpArrivesAndNotBefore) {
  BarrierRig rig("bar.red.popc.u32 %r1, 3, %p1; add.u32 %r2, %r1, 1;", 96);
  rig.arrive(0, kEveryLane, 0x3U);
  rig.arrive(1, kEveryLane, 0xff00U);
  EXPECT_EQ(rig.result(0, 0), 0u);
  const IssuedInstruction last = rig.arrive(2, 0xffU, 0xf0fU);  // lanes 8 and above are not active
  EXPECT_EQ(last.code->barrier, 3u);
  EXPECT_EQ(last.code->barrier_warps, 0u);
  EXPECT_FALSE(last.code->arrives);
  EXPECT_EQ(rig.result(0, 31), 14u);
  EXPECT_EQ(rig.result(1, 0), 14u);
  EXPECT_EQ(rig.result(2, 7), 14u);
  EXPECT_EQ(rig.result(2, 8), 0u);
}

TEST(PtxBlockBarriers, ABarrierStartsAnewAfterItHasOpened) {
  BarrierRig rig("bar.red.popc.u32 %r1, 3, %p1; add.u32 %r2, %r1, 1;", 64);
  for (const std::uint32_t predicate : {0x7U, 0x1U}) {
    rig.arrive(0, kEveryLane, predicate);
    rig.arrive(1, kEveryLane, 0);
    EXPECT_EQ(rig.result(0, 0), predicate == 7 ? 3u : 1u);
  }
}

TEST(PtxBlockBarriers, AWarpThatEndsOpensTheBarrierForTheOthers) {
  BarrierRig rig("bar.red.and.pred %p2, 0, %p1; selp.u32 %r1, 1, 0, %p2;", 64);
  rig.arrive(0, kEveryLane, kEveryLane);
  const WarpStep step = rig.at(Kind::kBarrier);
  EXPECT_EQ(*step.warp.words_at(step.step.destination[0]), 0u);
  rig.barriers.end_warp(1);
  EXPECT_EQ(*step.warp.words_at(step.step.destination[0]), kEveryLane);
}

TEST(PtxBlockBarriers, ABarrierOpensForAsManyWarpsAsTheStepNames) {
  BarrierRig rig("bar.red.or.pred %p2, 5, 64, %p1; selp.u32 %r1, 1, 0, %p2;", 128);
  const IssuedInstruction issued = rig.arrive(3, 0xf0U, 0x10U);
  EXPECT_EQ(issued.code->barrier, 5u);
  EXPECT_EQ(issued.code->barrier_warps, 2u);
  rig.arrive(1, kEveryLane, 0);
  const WarpStep step = rig.at(Kind::kBarrier, 0, kEveryLane, 3);
  EXPECT_EQ(*step.warp.words_at(step.step.destination[0]), 0xf0U);
}

TEST(PtxBlockBarriers, AWarpWithoutActiveLanesDoesNotArrive) {
  BarrierRig rig("bar.sync 0;", 32);
  EXPECT_EQ(rig.arrive(0, 0).code->operation, Operation::kNop);
}

TEST(PtxBlockBarriers, ArriveGoesOnWithoutWaiting) {
  BarrierRig rig("bar.arrive 2, 64;", 64);
  EXPECT_TRUE(rig.arrive(0).code->arrives);
}

TEST(PtxBlockBarriers, NumbersOutOfRangeAreFaults) {
  BarrierRig rig("bar.sync %r1, %r2;", 64);
  const WarpStep step = rig.at(Kind::kBarrier);
  const auto fault = [&](std::uint32_t number, std::uint32_t threads) {
    set_lane(step, step.step.source[0], 4, number);
    set_lane(step, step.step.source[1], 4, threads);
    return fault_of([&] { rig.arrive(0, 0xf0U); });
  };
  EXPECT_THAT(fault(16, 64), HasSubstr("barrier 16 of 16"));
  for (const std::uint32_t threads : {0U, 33U, 96U})
    EXPECT_THAT(fault(15, threads), HasSubstr("a block of 64 threads takes whole warps of its own"));
  EXPECT_EQ(fault(15, 32), "");
}

}  // namespace
}  // namespace heddle::ptx
