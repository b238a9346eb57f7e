// The exchange of values between lanes, and generic addresses, step by step.

#include "stimuli/ptx/execute/lane_exchange.h"

#include <gtest/gtest.h>

#include "stimuli/ptx/execute/generic_addresses.h"
#include "tests/support/ptx/step_rig.h"

namespace heddle::ptx {
namespace {

using Kind = Step::Kind;

void set_all_lanes(const WarpStep& at, const Row& row, std::uint32_t value) {
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) set_lane(at, row, lane, value);
}

TEST(PtxLaneExchange, ActiveMaskIsWrittenToActiveLanesAlone) {
  StepRig rig("activemask.b32 %r1; add.u32 %r2, %r1, %r3;");
  const WarpStep step = rig.at(Kind::kActiveMask, 0, 0xf0U);
  set_all_lanes(step, step.step.destination[0], 1);
  execute_active_mask(step);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 4), 0xf0U);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 3), 1U);
}

TEST(PtxLaneExchange, LanesVoteAmongThoseThatNameTheSameMembers) {
  StepRig rig("vote.sync.ballot.b32 %r1, %p1, %r2;");
  const WarpStep step = rig.at(Kind::kVote);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    set_lane(step, step.step.source[1], lane, lane < 8 ? 0xffU : ~0xffU);
  *step.warp.words_at(step.step.source[0]) = 0xff00ff0fU;
  execute_vote(step);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 7), 0x0fU);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 8), 0xff00ff00U);
}

TEST(PtxLaneExchange, ALaneThatItsOwnMaskLacksSeesTheVotesOfTheLanesInTheMask) {
  StepRig rig("vote.sync.ballot.b32 %r1, %p1, %r2;");
  const WarpStep step = rig.at(Kind::kVote);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    set_lane(step, step.step.source[1], lane, (1U << lane) - 1);
  *step.warp.words_at(step.step.source[0]) = 0xff00ff0fU;
  execute_vote(step);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 0), 0u);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 10), 0x30fU);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 31), 0x7f00ff0fU);
}

TEST(PtxLaneExchange, AShuffleReadsTheLaneBelowAndSaysWhetherThereIsOne) {
  StepRig rig("shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1;");
  const WarpStep step = rig.at(Kind::kShuffle);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) set_lane(step, step.step.source[0], lane, 50 + lane);
  execute_shuffle(step);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 0), 50u);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 31), 80u);
  EXPECT_EQ(*step.warp.words_at(step.step.destination[1]), ~1U);
}

TEST(PtxLaneExchange, AShuffleReads0FromALaneThatItsMaskLacks) {
  StepRig rig("shfl.sync.down.b32 %r1, %r2, 4, 31, 0xff;");
  const WarpStep step = rig.at(Kind::kShuffle, 0, 0xffU);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) set_lane(step, step.step.source[0], lane, 50 + lane);
  execute_shuffle(step);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 3), 57u);
  EXPECT_EQ(lane_of<std::uint32_t>(step, step.step.destination[0], 4), 0u);
}

TEST(PtxLaneExchange, MatchFindsTheLanesThatHoldTheSameValue) {
  StepRig rig("match.any.sync.b32 %r1, %r2, -1; match.all.sync.b32 %r3|%p1, %r4, -1;");
  const WarpStep any = rig.at(Kind::kMatch);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) set_lane(any, any.step.source[0], lane, lane % 4);
  execute_match(any);
  EXPECT_EQ(lane_of<std::uint32_t>(any, any.step.destination[0], 9), 0x22222222U);
  const WarpStep all = rig.at(Kind::kMatch, 1, 0xffU);
  set_all_lanes(all, all.step.source[0], 3);
  execute_match(all);
  EXPECT_EQ(lane_of<std::uint32_t>(all, all.step.destination[0], 0), 0xffU);
  EXPECT_EQ(*all.warp.words_at(all.step.destination[1]) & 0xffU, 0xffU);
  set_lane(all, all.step.source[0], 5, 4U);
  execute_match(all);
  EXPECT_EQ(lane_of<std::uint32_t>(all, all.step.destination[0], 0), 0u);
  EXPECT_EQ(*all.warp.words_at(all.step.destination[1]) & 0xffU, 0u);
}

TEST(PtxAddressConversion, CvtaAddsTheWindowOfItsSpaceAndCvtaToTakesItAway) {
  StepRig rig("cvta.shared.u64 %rd2, %rd3; cvta.to.local.u64 %rd4, %rd5;");
  const WarpStep to_generic = rig.at(Kind::kConvertAddress);
  set_lane(to_generic, to_generic.step.source[0], 2, std::uint64_t{64});
  convert_addresses(to_generic);
  EXPECT_EQ(lane_of<std::uint64_t>(to_generic, to_generic.step.destination[0], 2), kSharedWindow + 64);
  const WarpStep to_local = rig.at(Kind::kConvertAddress, 1);
  set_lane(to_local, to_local.step.source[0], 2, kLocalWindow + 8);
  convert_addresses(to_local);
  EXPECT_EQ(lane_of<std::uint64_t>(to_local, to_local.step.destination[0], 2), 8u);
}

TEST(PtxAddressConversion, IsspacepDistinguishesConstantsFromGlobalMemory) {
  StepRig rig("isspacep.const %p1, %rd2; isspacep.global %p2, %rd2; isspacep.shared %p3, %rd2;",
              ".const .align 4 .b8 c[8]; .global .align 4 .b8 g[8];");
  const Image& image = image_of(*rig.launch.code);
  const std::array<std::uint32_t, 3> inside{0x1U, 0x6U, 0x8U};  // lanes of const, global, shared
  for (std::size_t wanted = 0; wanted < 3; ++wanted) {
    const WarpStep step = rig.at(Kind::kTestAddressSpace, wanted);
    const Row& row = step.step.source[0];
    set_lane(step, row, 0, rig.run.address_of("c") + 7);
    set_lane(step, row, 1, rig.run.address_of("c") + 8);
    set_lane(step, row, 2, rig.run.address_of("g"));
    set_lane(step, row, 3, kSharedWindow);
    test_address_space(step, image);
    EXPECT_EQ(*step.warp.words_at(step.step.destination[0]) & 0xfU, inside[wanted]);
  }
}

}  // namespace
}  // namespace heddle::ptx
