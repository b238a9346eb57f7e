// Samples on their way from the SMs to the partitioner.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

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

// A block throttle that never caps a kernel, and reads the totals of each slice once in every period.
class TotalsReader final : public BlockThrottle {
 public:
  explicit TotalsReader(std::uint64_t period) : period_(period) {}
  ThrottleAnswer started(const ThrottleView& slice) override { return at(slice.now + period_); }
  ThrottleAnswer block_done(const ThrottleView&, std::uint64_t, const SmWork&) override { return at(next_); }
  ThrottleAnswer sampled(const ThrottleView& slice, const SliceTotals& totals) override {
    last_[{slice.sm.value, slice.kernel.value}] = totals.counts.blocks;
    ++read_;
    return at(slice.now + period_);
  }
  std::uint64_t read() const { return read_; }
  // The blocks of the kernel that had ended when its totals were read last, over the SMs.
  std::uint64_t blocks(KernelId kernel) const {
    std::uint64_t blocks = 0;
    for (const auto& [key, ended] : last_) blocks += key.second == kernel.value ? ended : 0;
    return blocks;
  }

 private:
  ThrottleAnswer at(Cycle next) {
    next_ = next;
    ThrottleAnswer answer;
    answer.sample_at = next;
    return answer;
  }
  const std::uint64_t period_;
  Cycle next_;
  std::uint64_t read_ = 0;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> last_;  // by SM and kernel
};

TEST_F(SmDriverTest, WhatOneReaderOfSamplesAsksForLeavesNoTraceInTheWindowsOfAnother) {
  for (const std::uint64_t period : {1u, 7u, 40u, 41u, 300u}) {
    SCOPED_TRACE(period);
    SampleReader alone(40);
    SampleReader beside(40);
    TotalsReader throttle(period);
    for (SampleReader* policy : {&alone, &beside}) {
      FakeGpu gpu(test_spec(), test_limits(2), 3, *policy, *drain_, policy == &beside ? &throttle : nullptr);
      gpu.launch(Cycle{0}, test_kernel(0, 30, 90));
      gpu.launch(Cycle{100}, test_kernel(1, 20, 50));
      gpu.run_until(Cycle{5000});
    }
    EXPECT_GE(throttle.read(), 3);
    for (std::size_t sm = 0; sm < 3; ++sm) {
      EXPECT_EQ(beside.windows(sm), alone.windows(sm));
      ASSERT_EQ(beside.of(sm).size(), alone.of(sm).size());
      for (std::size_t i = 0; i < alone.of(sm).size(); ++i)
        for (const KernelSample& kernel : alone.of(sm)[i].kernels) {
          const KernelSample* same = beside.of(sm)[i].find(kernel.kernel);
          ASSERT_NE(same, nullptr);
          EXPECT_EQ(same->counts, kernel.counts);
          EXPECT_EQ(same->resident, kernel.resident);
        }
    }
    EXPECT_LE(throttle.blocks(KernelId{0}), 30);
    EXPECT_TRUE(period > 41 || throttle.blocks(KernelId{0}) > 15);
  }
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
