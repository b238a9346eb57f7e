#include <gmock/gmock.h>

#include "tests/policies/sm_partitioner/warped_slicer_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using Kind = PartitionDecision::Kind;
using Curve = std::vector<double>;

// ---- the layout of a profile

// Returns slices by SM, with the blocks per SM of each kernel in turn, as in "0:1 0:2 1:1 1:2".
std::string layout(std::size_t sms, const std::vector<std::uint32_t>& residencies) {
  TestMachine machine(sms, std::vector<ContextView>(residencies.size()));
  for (std::uint32_t i = 0; i < residencies.size(); ++i) machine.kernel(i, 1000, residencies[i]);
  return fmt::format("{}", fmt::join(machine.slices(*make_policy<SmPartitioner>("warped-slicer")), " "));
}

TEST(WarpedSlicer, TheProfilesLayoutHoldsFromTheStartOfTheWarmUp) {
  EXPECT_EQ(layout(16, {8, 8}), "0:1 0:2 0:3 0:4 0:5 0:6 0:7 0:8 1:1 1:2 1:3 1:4 1:5 1:6 1:7 1:8");
  EXPECT_EQ(layout(16, {3, 1}), "0:1 0:2 0:3 0:1 0:2 0:3 0:1 0:2 1:1 1:1 1:1 1:1 1:1 1:1 1:1 1:1");
  EXPECT_EQ(layout(16, {8, 3, 1}), "0:1 0:2 0:3 0:4 0:5 0:6 1:1 1:2 1:3 1:1 1:2 2:1 2:1 2:1 2:1 2:1");
  EXPECT_EQ(layout(16, {8, 8, 3, 1}), "0:1 0:2 0:3 0:4 1:1 1:2 1:3 1:4 2:1 2:2 2:3 2:1 3:1 3:1 3:1 3:1");
  EXPECT_EQ(layout(2, {8, 8, 8}), "0:1 1:1") << "the third waits for its turn";
  EXPECT_EQ(layout(3, {8}), "0:* 0:* 0:*");
}

// ---- on a machine

TEST_F(WarpedSlicerTest, QuotasAreWhatWaterFillingMakesOfTheCurves) {
  for (const auto& [first, second] : {std::pair(kSaturating, straight(8)), std::pair(straight(8), kThrashing),
                                      std::pair(kSaturating, kThrashing)}) {
    curves_.clear();
    cycles_ = 3000;  // no block ends during the profile
    machine(16, 8);
    launch(0, 0, first);
    launch(0, 1, second);
    gpu_->run_until(Cycle{10'000});
    const std::vector<PartitionDecision>& made = policy_->decisions();
    ASSERT_EQ(made.size(), 2);
    EXPECT_EQ(made[0].kind, Kind::kProfile);
    ASSERT_EQ(made[1].kind, Kind::kQuotas);
    std::vector<SharingKernel> kernels;
    const BlockResources block = resources_of(test_kernel(0, 1, 1).shape, test_limits(8));
    for (const Curve& measured : {first, second}) {
      Curve curve = measured;
      for (double& performance : curve) performance /= *std::max_element(measured.begin(), measured.end());
      for (std::size_t i = 0; i < 8; ++i)
        EXPECT_NEAR(made[1].shares[kernels.size()].performance[i], curve[i], 1e-9) << i;
      kernels.push_back({curve, block});
    }
    const std::vector<std::uint32_t> blocks = water_fill(kernels, test_limits(8));
    EXPECT_THAT(slices(), Each(fmt::format("0:{} 1:{}", blocks[0], blocks[1])));
    // The first sample is requested at 2. The warm-up takes 400 cycles and the sampling 200.
    EXPECT_EQ(made[0].at, Cycle{0});
    EXPECT_EQ(made[1].at - Cycle{0}, 602 + (made[1].at.value - 602) % 50);
    EXPECT_LE(made[1].at, Cycle{652});
    for (const SmView& sm : gpu_->driver().view().sms)
      for (const SliceView& slice : sm.slices) EXPECT_LE(slice.running, slice.slice.quota);
  }
}

TEST_F(WarpedSlicerTest, MoreCountsThanSmsAreMeasuredInPhasesThatOnlyAddBlocks) {
  cycles_ = 3000;  // no block ends during the profile
  machine(4, 8);
  launch(0, 0, kSaturating);
  launch(0, 1, straight(8));
  gpu_->run_until(Cycle{450});
  EXPECT_THAT(slices(), ElementsAre("0:1", "0:2", "1:1", "1:2"));
  gpu_->run_until(Cycle{700});
  EXPECT_THAT(slices(), ElementsAre("0:3", "0:4", "1:3", "1:4"));
  gpu_->run_until(Cycle{1100});
  EXPECT_THAT(slices(), ElementsAre("0:7", "0:8", "1:7", "1:8"));
  gpu_->run_until(Cycle{1400});
  EXPECT_THAT(policy_->decisions().back().shares[1].performance,
              ElementsAre(0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1));
  EXPECT_EQ(decisions(), "profile 0 1, quotas 0:2 1:6");
  EXPECT_EQ(counter("drains"), 0);
}

TEST_F(WarpedSlicerTest, ThreeAndFourKernelsShareEverySm) {
  machine(12, 8);
  launch(0, 0, kSaturating);
  launch(0, 1, kSaturating);
  launch(0, 2, kThrashing);
  gpu_->run_until(Cycle{3000});
  EXPECT_EQ(decisions(), "profile 0 1 2, quotas 0:3 1:3 2:2");
  EXPECT_THAT(slices(), Each("0:3 1:3 2:2"));
  curves_.clear();
  machine(16, 8);
  for (std::uint32_t context = 0; context < 4; ++context) launch(0, context, straight(8));
  gpu_->run_until(Cycle{3000});
  EXPECT_THAT(slices(), Each("0:2 1:2 2:2 3:2")) << "they lose 75 % each, and may lose 90 %";
}

// Section IV-A prints 120 % / K, and Section V-E has three kernels that share an SM.
TEST_F(WarpedSlicerTest, ThreeKernelsMayLoseEightyPercentEachOrFortyAsPrinted) {
  for (const double printed : {0.0, 1.0}) {
    curves_.clear();
    machine(12, 8, {{"printed_loss", printed}});
    for (std::uint32_t context = 0; context < 3; ++context) launch(0, context, straight(8));
    gpu_->run_until(Cycle{3000});
    EXPECT_GT(policy_->decisions().back().loss, 0.7) << "two blocks of 8";
    EXPECT_LT(policy_->decisions().back().loss, 0.8);
    EXPECT_EQ(decisions(),
              printed == 0 ? "profile 0 1 2, quotas 0:3 1:3 2:2" : "profile 0 1 2, spatial 0 1 2");
  }
}

TEST_F(WarpedSlicerTest, OfTwoKernelsEachMayLoseSixtyPercentInBothReadings) {
  for (const double printed : {0.0, 1.0})
    for (const double best : {2.3, 2.8}) {  // with one of its two blocks, a kernel loses 57 % or 64 %
      curves_.clear();
      cycles_ = 3000;  // no block ends during the profile
      machine(12, 2, {{"printed_loss", printed}});
      launch(0, 0, {1, best});
      launch(0, 1, {1, 1});
      gpu_->run_until(Cycle{3000});
      const PartitionDecision& last = policy_->decisions().back();
      EXPECT_NEAR(last.loss, 1 - 1 / best, 0.02);
      EXPECT_EQ(last.kind == Kind::kQuotas, best < 2.5) << best;
    }
}

TEST_F(WarpedSlicerTest, SpatialIsForAKernelThatWouldLoseMoreThanItMayAndPreemptsNothingAfterAProfile) {
  for (const double loss : {1.0, 0.999}) {  // half of the best performance with 4 of 8 blocks
    curves_.clear();
    machine(4, 8, {{"loss", loss}});
    launch(0, 0, straight(8));
    launch(0, 1, straight(8));
    gpu_->run_until(Cycle{2000});
    EXPECT_DOUBLE_EQ(policy_->decisions().back().loss, 0.5);
    if (loss == 1.0)
      EXPECT_THAT(slices(), Each("0:4 1:4"));
    else
      EXPECT_THAT(slices(), ElementsAre("0:*", "0:*", "1:*", "1:*"));
    EXPECT_EQ(counter("drains"), 0);
  }
}

TEST_F(WarpedSlicerTest, SpatialIsForBlocksThatDoNotFitBesideEachOther) {
  machine(3, 8);
  launch(0, 0, {1}, kForever, 0, 1024);
  launch(0, 1, straight(8), kForever, 0, 32);
  gpu_->run_until(Cycle{5000});
  EXPECT_EQ(decisions(), "profile 0 1, spatial 0 1");
  EXPECT_EQ(policy_->decisions().back().loss, 1);
  EXPECT_THAT(slices(), ElementsAre("0:*", "0:*", "1:*"));
}

TEST_F(WarpedSlicerTest, TheLayoutOfTheProfileGoesOnDuringTheDelay) {
  machine(16, 8, {{"delay", 301.0}});
  launch(0, 0, straight(8));
  launch(0, 1, kSaturating);
  gpu_->run_until(Cycle{660});
  ASSERT_EQ(decisions(), "profile 0 1, quotas 0:6 1:2");
  const Cycle decided = policy_->decisions()[1].at;
  const std::vector<std::string> profile = slices();
  EXPECT_EQ(profile[7], "0:8");
  const std::uint64_t issued = counter("blocks_issued");
  gpu_->run_until(decided + 300);
  EXPECT_EQ(slices(), profile);
  EXPECT_GT(counter("blocks_issued"), issued + 72 * 5);  // five waves of 72
  gpu_->run_until(decided + 350 + 2);                    // 301 cycles are seven samples
  EXPECT_THAT(slices(), Each("0:6 1:2"));
}

// The kernel of a context ends. With `reserve` 1 the blocks of the other context keep to their quota while
// the first context is open. With 0 they take the whole SM.
TEST_F(WarpedSlicerTest, AnOpenContextKeepsItsShareBetweenItsKernels) {
  for (const double reserve : {1.0, 0.0}) {
    curves_.clear();
    machine(16, 8, {{"reserve", reserve}});
    open(0, 0);
    open(0, 1);
    launch(0, 0, straight(8));
    const KernelId first = launch(0, 1, kSaturating, 4000);
    launch(12'000, 1, kSaturating, 2000);
    open(20'000, 1, false);
    gpu_->run_until(Cycle{11'000});
    ASSERT_LT(gpu_->span(first).ended, Cycle{10'000});
    EXPECT_THAT(slices(), Each(reserve > 0 ? "0:6" : "0:*"));
    gpu_->run_until(Cycle{12'050});
    EXPECT_THAT(slices(), Each("0:6 1:2"));
    EXPECT_EQ(decisions(),
              reserve > 0 ? "profile 0 1, quotas 0:6 1:2" : "profile 0 1, quotas 0:6 1:2, quotas 0:6 1:2");
    gpu_->run_until(Cycle{19'999});
    EXPECT_THAT(slices(), Each(reserve > 0 ? "0:6" : "0:*"));
    gpu_->run_until(Cycle{20'000});
    EXPECT_THAT(slices(), Each("0:*")) << "the context has closed";
  }
}

TEST_F(WarpedSlicerTest, AKernelIsProfiledOnceOrAtEveryLaunch) {
  for (const double remember : {1.0, 0.0}) {
    curves_.clear();
    machine(16, 8, {{"remember", remember}});
    open(0, 0);
    open(0, 1);
    launch(0, 0, straight(8));
    launch(0, 1, kSaturating, 4000);
    launch(12'000, 1, kSaturating, 2000);
    launch(25'000, 1, straight(8), 2000, 1);  // the code is different
    gpu_->run_until(Cycle{20'000});
    const std::string twice = ", profile 0 1, quotas 0:6 1:2";
    EXPECT_EQ(decisions(), "profile 0 1, quotas 0:6 1:2" + (remember > 0 ? "" : twice));
    gpu_->run_until(Cycle{28'000});
    EXPECT_EQ(decisions(),
              "profile 0 1, quotas 0:6 1:2" + (remember > 0 ? "" : twice) + ", profile 0 1, quotas 0:4 1:4");
  }
}

TEST_F(WarpedSlicerTest, AKernelThatComesMakesAProfileOfAllAndOneThatLeavesNone) {
  machine(12, 8, {{"loss", 3.0}, {"warm_each", 1.0}});
  launch(0, 0, straight(8));
  launch(0, 1, kThrashing);
  launch(2000, 2, kThrashing, 1500);
  gpu_->run_until(Cycle{1990});
  EXPECT_THAT(slices(), Each("0:6 1:2"));
  gpu_->run_until(Cycle{2010});
  EXPECT_THAT(slices(), ElementsAre("0:1", "0:2", "0:3", "0:4", "1:1", "1:2", "1:3", "1:4", "2:1", "2:2",
                                    "2:3", "2:4"));
  gpu_->run_until(Cycle{4000});
  EXPECT_THAT(slices(), Each("0:4 1:2 2:2"));
  gpu_->run_until(Cycle{40'000});
  EXPECT_THAT(slices(), Each("0:6 1:2"));
  EXPECT_EQ(decisions(), "profile 0 1, quotas 0:6 1:2, profile 0 1 2, quotas 0:4 1:2 2:2, quotas 0:6 1:2");
}

TEST_F(WarpedSlicerTest, ArrivalsPutSamplingOffNoFurtherThanTwoWarmUps) {
  machine(12, 8);
  for (std::uint32_t context = 0; context < 4; ++context) launch(300 * context, context, kSaturating);
  gpu_->run_until(Cycle{2500});
  const std::vector<PartitionDecision>& made = policy_->decisions();
  ASSERT_EQ(made.size(), 4);
  EXPECT_EQ(made[2].shares.size(), 4);
  // The profile begins at 302, with two phases of 200 after 800 of warm-up.
  EXPECT_GE(made[3].at, Cycle{302 + 800 + 600});
  EXPECT_LE(made[3].at, Cycle{302 + 800 + 600 + 100});
}

// The first kernel has the whole machine before the second kernel comes.
TEST_F(WarpedSlicerTest, AWarmUpWaitsForBlocksToLeaveButNoLongerThanTwiceItsLength) {
  for (const std::uint64_t cycles : {600, 2000}) {
    curves_.clear();
    machine(16, 8);
    cycles_ = cycles;
    launch(0, 0, straight(8));
    cycles_ = 3000;
    launch(50, 1, kSaturating);
    gpu_->run_until(Cycle{1500});
    const std::vector<PartitionDecision>& made = policy_->decisions();
    ASSERT_EQ(made.size(), 2);
    const bool waits = cycles == 600;
    EXPECT_GE(made[1].at, Cycle{waits ? 600u + 200u : 50u + 800u + 200u});
    EXPECT_LE(made[1].at, Cycle{waits ? 700u + 200u : 150u + 800u + 200u});
    EXPECT_NEAR(made[1].shares[1].performance[0], waits ? 0.4 : 0.125, 1e-9) << "measured or not";
  }
}

TEST_F(WarpedSlicerTest, AKernelThatEndsInTheProfileLeavesTheMachineToTheOther) {
  // The end comes at once, in the warm-up, or during sampling.
  for (const std::uint64_t blocks : {20, 200, 400}) {
    curves_.clear();
    machine(16, 8, {{"delay", 100.0}});
    launch(0, 0, straight(8));
    const KernelId ends = launch(0, 1, straight(8), blocks);
    gpu_->run_until(Cycle{700});
    EXPECT_NE(gpu_->span(ends).ended, Cycle::never());
    EXPECT_EQ(decisions(), "profile 0 1, alone 0");
    EXPECT_THAT(slices(), Each("0:*"));
  }
}

// The other kernel has the rest of its SMs.
TEST_F(WarpedSlicerTest, AKernelWithFewerBlocksThanItsProfileNeedsIsMeasuredByThoseItHas) {
  machine(8, 8);
  launch(0, 0, straight(8));
  KernelLaunch few = test_kernel(1, 3, 5000);
  curves_.push_back(kSaturating);
  gpu_->launch(Cycle{0}, few);
  gpu_->run_until(Cycle{100});
  EXPECT_THAT(slices(), ElementsAre("0:1", "0:2", "0:3", "0:4", "1:1", "1:2", "1:3", "0:*"));
  gpu_->run_until(Cycle{2000});
  ASSERT_EQ(policy_->decisions().size(), 2);
  EXPECT_THAT(policy_->decisions()[1].shares[1].performance, Each(1.0)) << "one block alone was measured";
}

TEST_F(WarpedSlicerTest, MoreKernelsThanSmsTakeTurnsAndNoneIsForgotten) {
  machine(2, 8, {{"loss", 9.0}});
  for (std::uint32_t context = 0; context < 4; ++context)
    launch(0, context, context < 3 ? straight(8) : Curve{1, 2, 2, 2, 2, 2, 2, 2});
  gpu_->run_until(Cycle{440});
  EXPECT_THAT(slices(), ElementsAre("0:1", "1:1"));
  gpu_->run_until(Cycle{2600});  // eight phases of four or five samples
  EXPECT_THAT(slices(), ElementsAre("2:1", "3:1"));
  gpu_->run_until(Cycle{6000});
  ASSERT_EQ(policy_->decisions().size(), 2);
  const std::vector<PartitionDecision::Share>& shares = policy_->decisions()[1].shares;
  ASSERT_EQ(shares.size(), 4);
  EXPECT_NEAR(shares[3].performance[0], 0.5, 0.03);
  EXPECT_NEAR(shares[2].performance[0], 0.125, 0.03);
  EXPECT_EQ(shares[3].blocks, 1);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GE(shares[i].blocks, 2);
}

// The kernels share their SM, and the older one goes first. The younger one has the resources that the older
// one leaves, and all of them in the end.
TEST_F(WarpedSlicerTest, MoreKernelsThanSmsEndWithoutQuotasToo) {
  machine(2, 8, {{"loss", 0.0}});
  for (std::uint32_t context = 0; context < 4; ++context) launch(0, context, straight(8), 3000);
  gpu_->run_until(Cycle{6000});
  EXPECT_THAT(slices(), ElementsAre("0:* 2:*", "1:* 3:*"));
  EXPECT_NO_THROW(gpu_->run());
}

TEST_F(WarpedSlicerTest, KernelsWithoutInstructionsAreMeasuredByTheBlocksThatEnd) {
  machine(16, 8, {{"profile", 4000.0}});
  gpu_->perform(nullptr);
  launch(0, 0, {});
  launch(0, 1, {});
  gpu_->run_until(Cycle{10'000});
  EXPECT_EQ(decisions(), "profile 0 1, quotas 0:4 1:4");
}

TEST_F(WarpedSlicerTest, SeveralKernelsOfAContextShareLikeOthers) {
  machine(16, 8);
  open(0, 0);
  launch(0, 0, straight(8), kForever, 0);
  launch(0, 0, kSaturating, 3000, 1);
  gpu_->run_until(Cycle{2000});
  EXPECT_THAT(slices(), Each("0:6 0:2"));
  gpu_->run_until(Cycle{30'000});
  EXPECT_THAT(slices(), Each("0:*")) << "the context has a kernel still: nothing is reserved";
}

}  // namespace
}  // namespace heddle
