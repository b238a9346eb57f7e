#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/test_machine.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

std::vector<int> decide(const TestMachine& machine) {
  return machine.holders(*make_policy<SmPartitioner>("ppq"));
}

TEST(Ppq, IdleSmsAreTakenBeforeOthersAreDrained) {
  TestMachine machine(4, {{1, 0}, {7, 0}});
  const int low = machine.kernel(0, 9);
  const int high = machine.kernel(1, 2);
  machine.runs(0, low, 1).runs(1, low, 1);
  EXPECT_THAT(decide(machine), ElementsAre(low, low, high, high));
}

TEST(Ppq, AHigherPriorityTakesAsManySmsAsItHasBlocks) {
  TestMachine machine(4, {{1, 0}, {7, 0}});
  const int low = machine.kernel(0, 9, 4);
  const int high = machine.kernel(1, 3);
  machine.runs(0, low, 4).runs(1, low, 2).runs(2, low, 4).runs(3, low, 1);
  // The SM with the fewest blocks to wait for comes first.
  EXPECT_THAT(decide(machine), ElementsAre(high, high, low, high));
}

TEST(Ppq, TheLowestPriorityLosesItsSmFirst) {
  TestMachine machine(3, {{1, 0}, {4, 0}, {7, 0}});
  const int middle = machine.kernel(1, 9);
  const int low = machine.kernel(0, 9, 8);
  const int high = machine.kernel(2, 1);
  machine.runs(0, middle, 1).runs(1, low, 8).runs(2, middle, 1);
  EXPECT_THAT(decide(machine), ElementsAre(middle, high, middle));
}

TEST(Ppq, EqualPriorityIsNotPreempted) {
  TestMachine machine(2, {{7, 0}, {7, 0}});
  const int first = machine.kernel(0, 9);
  machine.kernel(1, 9);
  machine.runs(0, first, 1).runs(1, first, 1);
  EXPECT_THAT(decide(machine), ElementsAre(first, first));
}

TEST(Ppq, AnSmReservedForALowerPriorityIsTakenOver) {
  TestMachine machine(2, {{1, 0}, {4, 0}, {7, 0}});
  const int low = machine.kernel(0, 9, 4);
  const int middle = machine.kernel(1, 2);
  const int high = machine.kernel(2, 2);
  machine.drains(0, low, 3).waits(0, middle).drains(1, low, 1).waits(1, middle);
  EXPECT_THAT(decide(machine), ElementsAre(high, high));
}

TEST(Ppq, AnSmThatStillDrainsForNobodyIsUsedBeforeAnotherIsDrained) {
  TestMachine machine(3, {{1, 0}, {7, 0}});
  const int low = machine.kernel(0, 9, 4);
  const int high = machine.kernel(1, 1);
  machine.runs(0, low, 1).drains(1, low, 4).runs(2, low, 1);
  EXPECT_THAT(decide(machine), ElementsAre(low, high, low));
}

// Blocks of 30 cycles of the lower priority fill four SMs and are issued at 5. The higher priority arrives at
// 11. Two SMs are drained for it until 37 and set up by 41, and its two blocks end 12 cycles later.
TEST(Ppq, DrainedSmsAreSetUpForTheHigherPriorityAsTheirLastBlockEnds) {
  const auto policy = make_policy<SmPartitioner>("ppq");
  const auto drain = make_policy<Preemption>("drain");
  EngineSpec spec;
  spec.ksrs = 4;
  spec.sm_setup_latency = 4;
  FakeGpu gpu(spec, test_limits(1), 4, *policy, *drain);
  gpu.set_context(Cycle{0}, ContextId{1}, {1, 0});
  const KernelId low = gpu.launch(Cycle{0}, test_kernel(0, 8, 30));
  const KernelId high = gpu.launch(Cycle{10}, test_kernel(1, 2, 10));
  gpu.run();
  EXPECT_EQ(gpu.span(high).first_block, Cycle{41});
  EXPECT_EQ(gpu.span(high).ended, Cycle{53});
  // The lower priority has blocks 4 and 5 at 37 on the SMs that it kept. Blocks 6 and 7 follow on the SMs
  // that it gets back at 53.
  EXPECT_EQ(gpu.span(low).ended, Cycle{53 + 4 + 32});
}

}  // namespace
}  // namespace heddle
