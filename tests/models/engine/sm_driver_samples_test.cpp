// Samples on their way from the SMs to the partitioner.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/sample_reader.h"
#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

using test::SampleReader;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Two of four blocks run at a time, from cycle 5 on. Each is replaced when it ends, 122 cycles after its
// issue.
TEST_F(SmDriverTest, SamplesComeFromTheFirstKernelOnEveryPeriodAndAfterTheLast) {
  SampleReader policy(100);
  gpu(test_spec(), 2, 1, policy);
  gpu_->launch(Cycle{0}, test_kernel(0, 4, 120));
  gpu_->launch(Cycle{1000}, test_kernel(0, 1, 10));
  gpu_->run_until(Cycle{2000});
  // Samples are requested in cycles 0, 100, 200, 250, 1000 and 1017. Each takes two cycles there and back.
  EXPECT_THAT(policy.windows(0), ElementsAre(Pair(0, 2), Pair(2, 102), Pair(102, 202), Pair(202, 252),
                                             Pair(252, 1002), Pair(1002, 1019)));
  const std::vector<SmSample>& samples = policy.of(0);
  const auto blocks = [&](std::size_t i) {
    const KernelSample* kernel = samples[i].find(KernelId{i < 4 ? 0u : 1u});
    return kernel == nullptr ? std::make_pair(~0ul, ~0u)
                             : std::make_pair(kernel->counts.blocks, kernel->resident);
  };
  EXPECT_THAT(samples[0].kernels, IsEmpty());
  EXPECT_THAT(blocks(1), Pair(0, 2));
  EXPECT_THAT(blocks(2), Pair(2, 2));
  EXPECT_THAT(blocks(3), Pair(2, 0));
  EXPECT_THAT(samples[4].kernels, IsEmpty());
  EXPECT_THAT(blocks(5), Pair(1, 0));
  expect_rest();
}

TEST_F(SmDriverTest, ASampleOfAllSmsIsOneSchedulingPointAndNoneAreTakenForWhoWantsNone) {
  std::uint64_t asked[2];
  for (const std::uint64_t period : {0u, 40u}) {
    SampleReader policy(period);
    gpu(test_spec(), 2, 3, policy);
    gpu_->launch(Cycle{0}, test_kernel(0, 30, 90));
    gpu_->run_until(Cycle{5000});
    asked[period > 0] = policy.asked();
    EXPECT_EQ(policy.of(0).size(), period > 0 ? 13u : 0u);
    for (std::size_t sm = 0; sm < 3; ++sm) EXPECT_EQ(policy.windows(sm), policy.windows(0));
    expect_rest();
  }
  EXPECT_EQ(asked[1], asked[0] + 13);
}

TEST_F(SmDriverTest, ASampleThatNobodyAskedForIsRefused) {
  SampleReader policy(100);
  SmDriver& driver = gpu(test_spec(), 2, 1, policy).driver();
  EXPECT_THROW(driver.sampled(Cycle{0}, SmId{0}, {}, Cycle{0}), InvariantError);
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 20));
  gpu_->run_until(Cycle{0});
  EXPECT_NO_THROW(driver.sampled(Cycle{1}, SmId{0}, {}, Cycle{0}));
  EXPECT_THROW(driver.sampled(Cycle{1}, SmId{0}, {}, Cycle{0}), InvariantError);
}

TEST_F(SmDriverTest, TheSamplesOfAKernelHoldEachOfItsBlocksOnce) {
  for (std::uint64_t seed = 0; seed < cases(200) && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = random_schedule(seed);
    SampleReader policy(1 + 7 * (seed % 30), seed % 2 == 0 ? "ppq" : "token");
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, policy, *drain_);
    schedule.feed(gpu);
    gpu.run();
    gpu.run_until(gpu.now() + 100);  // the last sample
    for (std::size_t i = 0; i < schedule.arrivals.size(); ++i)
      ASSERT_EQ(policy.sum(KernelId{i}).blocks, schedule.arrivals[i].launch.blocks) << i;
    for (std::size_t sm = 0; sm < policy.sms(); ++sm)
      for (std::size_t i = 1; i < policy.of(sm).size(); ++i)
        ASSERT_EQ(policy.of(sm)[i].from, policy.of(sm)[i - 1].until);
  }
}

}  // namespace
}  // namespace heddle
