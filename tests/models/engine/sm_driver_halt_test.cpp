// A halted context takes no more resources of the GPU.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/base/random.h"
#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

std::uint64_t issues_of(const KernelSpan& span) {
  return static_cast<std::uint64_t>(std::count(span.issued.begin(), span.issued.end(), 1));
}

TEST_F(SmDriverTest, AHaltedContextsBlocksEndAndItsKernelWithThem) {
  Log log(gpu(test_spec(), 2, 1, *fcfs_));
  gpu_->launch(Cycle{0}, test_kernel(0, 10, 1000));
  gpu_->halt(Cycle{100}, ContextId{0});
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1"));
  EXPECT_EQ(gpu_->span(KernelId{0}).ended, Cycle{102});  // two cycles: to the SM and back
  expect_rest();
}

TEST_F(SmDriverTest, WhatAHaltedContextLaunchesEndsWithoutABlock) {
  gpu(test_spec(), 2, 1, *fcfs_);
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 10));
  gpu_->halt(Cycle{50}, ContextId{0});
  gpu_->launch(Cycle{60}, test_kernel(0, 4, 10));
  gpu_->launch(Cycle{60}, test_kernel(1, 1, 10));
  gpu_->run();
  EXPECT_EQ(issues_of(gpu_->span(KernelId{1})), 0);
  EXPECT_EQ(gpu_->span(KernelId{1}).ended, Cycle{61});  // its launch latency
  EXPECT_EQ(issues_of(gpu_->span(KernelId{2})), 1);
  expect_rest();
}

TEST_F(SmDriverTest, AKernelThatWaitsToBecomeActiveIsHaltedToo) {
  EngineSpec spec = test_spec();
  spec.kernel_launch_latency = 20;
  gpu(spec, 2, 1, *fcfs_);
  gpu_->launch(Cycle{0}, test_kernel(0, 4, 10));
  gpu_->halt(Cycle{5}, ContextId{0});
  gpu_->run();
  EXPECT_EQ(issues_of(gpu_->span(KernelId{0})), 0);
  EXPECT_EQ(gpu_->span(KernelId{0}).ended, Cycle{20});
  expect_rest();
}

TEST_F(SmDriverTest, TheNextKernelTakesWhatAHaltedOneLeaves) {
  const auto left_over = make_policy<SmPartitioner>("left-over");
  Log log(gpu(test_spec(), 2, 1, *left_over));
  gpu_->share_sms();
  gpu_->launch(Cycle{0}, test_kernel(0, 100, 1000));
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 10));
  gpu_->halt(Cycle{200}, ContextId{0});
  gpu_->run();
  EXPECT_EQ(gpu_->span(KernelId{1}).first_block, Cycle{202});
  EXPECT_EQ(issues_of(gpu_->span(KernelId{1})), 2);
  expect_rest();
}

// For any partitioner and in any cycle, kernels of the halted context end early, and all other kernels run to
// their end.
TEST_F(SmDriverTest, AHaltAtAnyMomentLosesNothingOfTheOthers) {
  for (const std::string& name : PolicyCatalogue::instance().names(SmPartitioner::kDecision))
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Random random(seed);
      const auto policy = make_policy<SmPartitioner>(name);
      gpu(test_spec(8), 3, 3, *policy);
      gpu_->share_sms();
      Cycle at{0};
      std::vector<std::uint32_t> contexts;
      for (int i = 0; i < 6; ++i) {
        contexts.push_back(static_cast<std::uint32_t>(random.below(3)));
        gpu_->launch(at, test_kernel(contexts.back(), 1 + random.below(30), 1 + random.below(60)));
        at = at + random.below(50);
      }
      gpu_->halt(Cycle{random.below(300)}, ContextId{0});
      ASSERT_NO_THROW(gpu_->run()) << name << ", seed " << seed;
      for (std::size_t i = 0; i < contexts.size(); ++i)
        if (contexts[i] != 0) {
          EXPECT_EQ(issues_of(gpu_->span(KernelId{i})), gpu_->span(KernelId{i}).issued.size())
              << name << seed;
        }
      expect_rest();
    }
}

}  // namespace
}  // namespace heddle
