#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/test_machine.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

constexpr int kNobody = TestMachine::kNobody;

std::vector<int> decide(const TestMachine& machine) {
  return machine.holders(*make_policy<SmPartitioner>("fcfs-m"));
}

TEST(FcfsM, KernelsOfSeveralContextsShareTheSmsInOrderOfArrival) {
  TestMachine machine(4, {{}, {}, {}});
  machine.kernel(2, 1);
  machine.kernel(0, 2);
  machine.kernel(1, 9);
  EXPECT_THAT(decide(machine), ElementsAre(0, 1, 1, 2));
}

TEST(FcfsM, NoSmIsTakenFromAKernel) {
  TestMachine machine(3, {{0, 0}, {9, 3}});
  const int first = machine.kernel(0, 9);
  machine.kernel(1, 9);
  machine.runs(0, first, 1).runs(1, first, 1).sets_up(2, first);
  EXPECT_THAT(decide(machine), ElementsAre(first, first, first));
}

TEST(FcfsM, AKernelTakesNoSmForBlocksThatItsOwnSmsTakeNext) {
  TestMachine machine(4, {{}, {}});
  const int first = machine.kernel(0, 3, 2);
  machine.kernel(1, 1);
  // The SM has room for one block, and a second SM is being set up, so that one block is left.
  machine.runs(0, first, 1).sets_up(1, first);
  EXPECT_THAT(decide(machine), ElementsAre(first, first, first, 1));
}

TEST(FcfsM, AnSmThatHasNoRoomLeftTakesNoBlock) {
  TestMachine machine(4, {{}});
  const int first = machine.kernel(0, 3, 2);
  machine.runs(0, first, 2);
  EXPECT_THAT(decide(machine), ElementsAre(first, first, first, first));
}

TEST(FcfsM, ALateKernelStartsOnTheSmsThatTheFirstHasNoBlockFor) {
  const auto policy = make_policy<SmPartitioner>("fcfs-m");
  const auto drain = make_policy<Preemption>("drain");
  EngineSpec spec;
  spec.ksrs = 4;
  spec.sm_setup_latency = 4;
  FakeGpu gpu(spec, test_limits(1), 3, *policy, *drain);
  const KernelId a = gpu.launch(Cycle{0}, test_kernel(0, 4, 10));
  const KernelId b = gpu.launch(Cycle{0}, test_kernel(1, 6, 10));
  gpu.run();
  EXPECT_EQ(gpu.span(a).ended, Cycle{1 + 4 + 2 * 12});
  EXPECT_EQ(gpu.span(b).first_block, Cycle{17 + 4});  // two SMs have no second block of a
  // Kernel b has two blocks at 21 and at 33, one block on the third SM at 29 + 4, and its sixth block at 45.
  EXPECT_EQ(gpu.span(b).ended, Cycle{45 + 12});
}

TEST(FcfsM, NothingToDoIsNoDecision) {
  TestMachine machine(2, {{}});
  EXPECT_THAT(decide(machine), ElementsAre(kNobody, kNobody));
}

}  // namespace
}  // namespace heddle
