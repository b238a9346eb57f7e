#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/test_machine.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

constexpr int kNobody = TestMachine::kNobody;

std::vector<int> decide(const TestMachine& machine) {
  return machine.holders(*make_policy<SmPartitioner>("pq"));
}

TEST(Pq, TheContextWithTheLargestPriorityStarts) {
  TestMachine machine(3, {{1, 0}, {7, 0}, {7, 0}});
  machine.kernel(0, 9);
  machine.kernel(2, 9);
  machine.kernel(1, 9);
  EXPECT_THAT(decide(machine), ElementsAre(1, 1, 1));  // of two kernels with priority 7, the first to arrive
}

TEST(Pq, ARunningContextIsNotInterrupted) {
  TestMachine machine(3, {{1, 0}, {7, 0}});
  const int low = machine.kernel(0, 9);
  machine.kernel(1, 9);
  machine.runs(0, low, 1).runs(1, low, 1).runs(2, low, 1);
  EXPECT_THAT(decide(machine), ElementsAre(low, low, low));
}

TEST(Pq, AHigherPriorityWaitsForTheRunningContextEvenWithSmsIdle) {
  TestMachine machine(3, {{1, 0}, {7, 0}});
  const int low = machine.kernel(0, 0);
  machine.kernel(1, 9);
  machine.runs(1, low, 1);
  EXPECT_THAT(decide(machine), ElementsAre(kNobody, low, kNobody));
}

TEST(Pq, AKernelOfTheRunningContextDoesNotStartBeforeAHigherPriority) {
  TestMachine machine(3, {{1, 0}, {7, 0}});
  const int low = machine.kernel(0, 0);
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  machine.runs(0, low, 1);
  EXPECT_THAT(decide(machine), ElementsAre(low, kNobody, kNobody));
}

TEST(Pq, AKernelThatHasStartedGoesOnToIdleSmsWhileAHigherPriorityWaits) {
  TestMachine machine(3, {{1, 0}, {7, 0}});
  const int low = machine.kernel(0, 9);
  machine.kernel(1, 9);
  machine.runs(0, low, 1);
  EXPECT_THAT(decide(machine), ElementsAre(low, low, low));
}

TEST(Pq, ALowerPriorityDoesNotHoldUpTheRunningContext) {
  TestMachine machine(3, {{1, 0}, {7, 0}});
  machine.kernel(0, 9);
  const int high = machine.kernel(1, 0);
  const int next = machine.kernel(1, 9);
  machine.runs(2, high, 1);
  EXPECT_THAT(decide(machine), ElementsAre(next, next, high));
}

TEST(Pq, WhenTheEngineRunsDryTheLargestPriorityIsNext) {
  const auto policy = make_policy<SmPartitioner>("pq");
  const auto drain = make_policy<Preemption>("drain");
  EngineSpec spec;
  spec.ksrs = 4;
  spec.sm_setup_latency = 4;
  FakeGpu gpu(spec, test_limits(1), 3, *policy, *drain);
  gpu.set_context(Cycle{0}, ContextId{2}, {5, 0});
  const KernelId first = gpu.launch(Cycle{0}, test_kernel(0, 3, 10));
  const KernelId low = gpu.launch(Cycle{3}, test_kernel(1, 3, 10));
  const KernelId high = gpu.launch(Cycle{4}, test_kernel(2, 3, 10));
  gpu.run();
  EXPECT_EQ(gpu.span(first).ended, Cycle{17});
  EXPECT_EQ(gpu.span(high).ended, Cycle{17 + 16});
  EXPECT_EQ(gpu.span(low).ended, Cycle{33 + 16});
}

}  // namespace
}  // namespace heddle
