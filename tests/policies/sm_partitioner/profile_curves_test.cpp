#include "policies/sm_partitioner/profile_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/sm_partitioner/ipc_scaling.h"
#include "policies/sm_partitioner/ipc_watch.h"
#include "policies/sm_partitioner/phase_sampler.h"

namespace heddle {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

constexpr KernelKey kKey{ContextId{0}, 3, 4};

// ---- curves

TEST(ProfileCurves, EqualCountsAreAveragedAndTheBestIsOne) {
  ProfileCurves curves;
  for (std::uint32_t blocks = 1; blocks <= 4; ++blocks) curves.add_measurement(kKey, blocks, 0.25 * blocks);
  // The mean with the measurement of 1 is 2.
  curves.add_measurement(kKey, 4, 3);
  EXPECT_FALSE(curves.knows(kKey));
  curves.finish(kKey);
  EXPECT_TRUE(curves.knows(kKey));
  EXPECT_THAT(curves.curve(kKey), ElementsAre(0.125, 0.25, 0.375, 1));
}

TEST(ProfileCurves, ACountThatWasNotMeasuredIsWorthTheNextSmallerOne) {
  ProfileCurves curves;
  curves.add_measurement(kKey, 1, 2);
  curves.add_measurement(kKey, 3, 4);
  curves.finish(kKey);
  EXPECT_THAT(curves.curve(kKey), ElementsAre(0.5, 0.5, 1, 1));
}

TEST(ProfileCurves, BelowTheSmallestMeasuredPerformanceGoesWithTheBlocks) {
  ProfileCurves curves;
  curves.add_measurement(kKey, 3, 6);
  curves.finish(kKey);
  EXPECT_THAT(curves.curve(kKey), ElementsAre(DoubleEq(1.0 / 3), DoubleEq(2.0 / 3), 1, 1));
}

TEST(ProfileCurves, AKernelWithoutAMeasurementOrWithZerosAloneHasAStraightLine) {
  ProfileCurves curves;
  EXPECT_THAT(curves.curve(kKey), ElementsAre(0.25, 0.5, 0.75, 1));
  EXPECT_FALSE(curves.knows(kKey));
  curves.finish(kKey);
  EXPECT_TRUE(curves.knows(kKey));
  EXPECT_THAT(curves.curve(kKey), ElementsAre(0.25, 0.5, 0.75, 1));
  curves.begin();
  curves.add_measurement(kKey, 2, 0);
  curves.finish(kKey);
  EXPECT_THAT(curves.curve(kKey), ElementsAre(0.25, 0.5, 0.75, 1));
}

TEST(ProfileCurves, ALaterProfileReplacesTheCurveIfItMeasuredSomething) {
  ProfileCurves curves;
  curves.add_measurement(kKey, 1, 1);
  curves.finish(kKey);
  curves.begin();
  curves.finish(kKey);
  EXPECT_THAT(curves.curve(kKey), ElementsAre(1, 1, 1, 1)) << "nothing measured";
  curves.add_measurement(kKey, 1, 1);
  curves.begin();  // the previous profile was not finished
  curves.add_measurement(kKey, 4, 1);
  curves.finish(kKey);
  EXPECT_THAT(curves.curve(kKey), ElementsAre(0.25, 0.5, 0.75, 1));
}

TEST(ProfileCurves, AForgottenCurveComesBackIfTheProfileMeasuredNothing) {
  ProfileCurves curves;
  curves.add_measurement(kKey, 1, 4);
  curves.add_measurement(kKey, 2, 2);
  curves.finish(kKey);
  curves.forget(kKey);
  EXPECT_FALSE(curves.knows(kKey));
  EXPECT_THAT(curves.curve(kKey), ElementsAre(0.25, 0.5, 0.75, 1));
  curves.begin();
  curves.finish(kKey);
  EXPECT_TRUE(curves.knows(kKey));
  EXPECT_THAT(curves.curve(kKey), ElementsAre(1, 0.5, 0.5, 0.5)) << "not a straight line";
  curves.forget(kKey.context);  // another program has no curve of this one
  curves.begin();
  curves.finish(kKey);
  EXPECT_THAT(curves.curve(kKey), ElementsAre(0.25, 0.5, 0.75, 1));
}

TEST(ProfileCurves, KernelsAreKnownByContextTagAndResidency) {
  ProfileCurves curves;
  curves.finish(kKey);
  EXPECT_FALSE(curves.knows({ContextId{1}, 3, 4}));
  EXPECT_FALSE(curves.knows({ContextId{0}, 2, 4}));
  EXPECT_FALSE(curves.knows({ContextId{0}, 3, 5}));
  curves.finish({ContextId{1}, 3, 4});
  curves.forget(ContextId{0});
  EXPECT_FALSE(curves.knows(kKey));
  EXPECT_TRUE(curves.knows({ContextId{1}, 3, 4}));
}

// ---- phases

SmSample sample(std::uint64_t from, std::uint64_t until, KernelId kernel, std::uint32_t resident,
                std::uint64_t instructions, std::uint64_t memory = 0, std::uint64_t misses = 0) {
  SmSample made;
  made.from = Cycle{from};
  made.until = Cycle{until};
  made.totals.issue_slots = 2 * (until - from);
  made.totals.memory_slots = memory;
  KernelSample entry;
  entry.kernel = kernel;
  entry.resident = resident;
  entry.counts.warp_instructions = instructions;
  entry.counts.l2_misses = misses;
  made.kernels.push_back(entry);
  return made;
}

constexpr KernelId kKernel{9};

constexpr IpcScaling kPrinted{BandwidthReading::kPrinted, 0};

TEST(PhaseSampler, IpcIsScaledByEquationFourWithTheAverageOverTheKernelsSms) {
  PhaseSampler sampler;
  sampler.begin(4);
  const KernelKey other{ContextId{1}, 0, 4};
  for (std::uint32_t sm = 0; sm < 3; ++sm)
    sampler.add_window(sm, kKey, kKernel, sample(0, 1, kKernel, sm + 1, 0));
  sampler.add_window(3, other, KernelId{1}, sample(0, 1, KernelId{1}, 4, 0));
  for (std::uint32_t sm = 0; sm < 3; ++sm)
    sampler.add_window(sm, kKey, kKernel, sample(1, 101, kKernel, sm + 1, 100 * (sm + 1), 100));
  sampler.add_window(3, other, KernelId{1}, sample(1, 101, KernelId{1}, 4, 400));
  ProfileCurves curves;
  sampler.finish(curves, kPrinted);
  curves.finish(kKey);
  double scaled[3];
  for (std::uint32_t i = 0; i < 3; ++i)
    scaled[i] = scaled_ipc(i + 1, 0.5, bandwidth_change(BandwidthReading::kPrinted, i + 1, 2));
  EXPECT_DOUBLE_EQ(scaled[0], 0.75);
  EXPECT_DOUBLE_EQ(scaled[2], 3.75);
  EXPECT_THAT(curves.curve(kKey),
              ElementsAre(DoubleEq(scaled[0] / scaled[2]), DoubleEq(scaled[1] / scaled[2]), 1, 1));
}

// The kernel has 2 and 3 blocks on its SMs, and every issue slot waits for memory. Its instructions are 1000
// in all.
TEST(PhaseSampler, OnlyAKernelThatMissesL2OftenIsScaled) {
  for (const std::uint64_t misses : {29u, 30u}) {
    PhaseSampler sampler;
    sampler.begin(2);
    for (const std::uint32_t blocks : {2u, 3u})
      sampler.add_window(blocks - 2, kKey, kKernel, sample(0, 1, kKernel, blocks, 0));
    sampler.add_window(0, kKey, kKernel, sample(1, 101, kKernel, 2, 500, 200, misses));
    sampler.add_window(1, kKey, kKernel, sample(1, 101, kKernel, 3, 500, 200, 0));
    ProfileCurves curves;
    sampler.finish(curves, IpcScaling{});
    curves.finish(kKey);
    EXPECT_DOUBLE_EQ(curves.curve(kKey)[1], 1) << misses;
    EXPECT_DOUBLE_EQ(curves.curve(kKey)[2], misses < 30 ? 1 : 2.0 / 3) << misses << ": the inverse of 3 / 2";
  }
}

TEST(PhaseSampler, AnSmCountsWithTheBlocksItHeldAndOnlyWhileTheLaunchWasThereFromEndToEnd) {
  PhaseSampler sampler;
  sampler.begin(1);
  sampler.add_window(0, kKey, kKernel, sample(0, 1, kKernel, 0, 0));
  // The kernel arrived in this window.
  sampler.add_window(0, kKey, kKernel, sample(1, 101, kKernel, 3, 10'000));
  sampler.add_window(0, kKey, kKernel, sample(101, 201, kKernel, 3, 100));
  sampler.add_window(0, kKey, kKernel, sample(201, 301, kKernel, 2, 100));  // a block is being replaced
  sampler.add_window(0, kKey, kKernel, sample(301, 401, kKernel, 3, 100));
  sampler.add_window(0, kKey, KernelId{10}, sample(401, 501, KernelId{10}, 4, 10'000));  // the next launch
  ProfileCurves curves;
  sampler.finish(curves, kPrinted);
  curves.finish(kKey);
  EXPECT_THAT(curves.curve(kKey), ElementsAre(DoubleEq(1.0 / 3), DoubleEq(2.0 / 3), 1, 1))
      << "3 blocks alone";
}

TEST(PhaseSampler, WithoutInstructionsBlocksThatEndedCount) {
  PhaseSampler sampler;
  sampler.begin(2);
  for (std::uint64_t window = 0; window < 2; ++window)
    for (std::uint32_t sm = 0; sm < 2; ++sm) {
      SmSample timed = sample(100 * window, 100 * window + 100, kKernel, sm + 1, 0);
      timed.kernels[0].counts.blocks = sm == 0 ? 1 : 4;
      sampler.add_window(sm, kKey, kKernel, timed);
    }
  ProfileCurves curves;
  sampler.finish(curves, kPrinted);
  curves.finish(kKey);
  EXPECT_THAT(curves.curve(kKey), ElementsAre(0.25, 1, 1, 1));
}

TEST(PhaseSampler, APhaseStartsAnewWithWhatTheSmsHold) {
  PhaseSampler sampler;
  sampler.begin(1);
  sampler.add_window(0, kKey, kKernel, sample(0, 100, kKernel, 1, 100));
  sampler.add_window(0, kKey, kKernel, sample(100, 200, kKernel, 1, 100));
  sampler.begin(1);
  ProfileCurves none;
  sampler.finish(none, kPrinted);
  none.finish(kKey);
  EXPECT_THAT(none.curve(kKey), ElementsAre(0.25, 0.5, 0.75, 1));
  sampler.add_window(0, kKey, kKernel, sample(200, 300, kKernel, 1, 100));
  ProfileCurves curves;
  sampler.finish(curves, kPrinted);
  curves.finish(kKey);
  EXPECT_THAT(curves.curve(kKey), ElementsAre(1, 1, 1, 1));
}

// ---- change

TEST(IpcWatch, AChangeCountsWhenItHasLastedWithoutABreak) {
  IpcWatch watch;
  const auto next = [&](std::uint64_t instructions) { return watch.changed(instructions, 10, 0.5, 20); };
  EXPECT_FALSE(next(5));
  EXPECT_FALSE(next(15));  // this is the reference, 1
  EXPECT_FALSE(next(16));
  EXPECT_FALSE(next(15));  // the difference is just within the tolerance
  EXPECT_FALSE(next(4));
  EXPECT_FALSE(next(10));
  EXPECT_FALSE(next(4));
  EXPECT_TRUE(next(16));
}

TEST(IpcWatch, NothingIsOffAReferenceOfZero) {
  IpcWatch watch;
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_FALSE(watch.changed(i < 2 ? 0 : 100, 10, 0.5, 20));
}

}  // namespace
}  // namespace heddle
