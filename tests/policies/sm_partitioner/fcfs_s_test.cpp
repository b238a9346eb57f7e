#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

constexpr int kNobody = TestMachine::kNobody;

std::vector<int> decide(const TestMachine& machine) {
  return machine.holders(*make_policy<SmPartitioner>("fcfs-s"));
}

TEST(FcfsS, TheFirstKernelTakesAsManySmsAsItHasBlocks) {
  TestMachine machine(4, {{}, {}});
  machine.kernel(0, 3);
  EXPECT_THAT(decide(machine), ElementsAre(0, 0, 0, kNobody));
}

TEST(FcfsS, AnotherKernelOfTheActiveContextTakesWhatIsLeft) {
  TestMachine machine(4, {{}, {}});
  machine.kernel(0, 3);
  machine.kernel(0, 9);
  EXPECT_THAT(decide(machine), ElementsAre(0, 0, 0, 1));
}

TEST(FcfsS, AKernelOfAnotherContextWaitsWhileTheFirstRuns) {
  TestMachine machine(3, {{}, {}});
  const int first = machine.kernel(0, 0);
  machine.kernel(1, 9);
  machine.runs(1, first, 1);
  EXPECT_THAT(decide(machine), ElementsAre(kNobody, first, kNobody));
}

TEST(FcfsS, WhatArrivesBehindAKernelOfAnotherContextWaitsToo) {
  TestMachine machine(3, {{}, {}});
  const int first = machine.kernel(0, 0);
  machine.kernel(1, 9);
  machine.kernel(0, 9);
  machine.runs(0, first, 1);
  EXPECT_THAT(decide(machine), ElementsAre(first, kNobody, kNobody));
}

TEST(FcfsS, PriorityAndTokensCountForNothing) {
  TestMachine machine(2, {{0, 0}, {5, 2}});
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  EXPECT_THAT(decide(machine), ElementsAre(0, 0));
}

// Two contexts run on three SMs. The launch takes 1 cycle, the set-up 4, and a block 2 + 10. Each kernel has
// two waves.
TEST(FcfsS, ContextsFollowEachOtherWithoutOverlap) {
  const auto policy = make_policy<SmPartitioner>("fcfs-s");
  const auto drain = make_policy<Preemption>("drain");
  EngineSpec spec;
  spec.ksrs = 4;
  spec.sm_setup_latency = 4;
  FakeGpu gpu(spec, test_limits(1), 3, *policy, *drain);
  const KernelId a = gpu.launch(Cycle{0}, test_kernel(0, 4, 10));
  const KernelId b = gpu.launch(Cycle{0}, test_kernel(1, 6, 10));
  gpu.run();
  EXPECT_EQ(gpu.span(a).ended, Cycle{1 + 4 + 2 * 12});
  EXPECT_EQ(gpu.span(b).first_block, Cycle{29 + 4});
  EXPECT_EQ(gpu.span(b).ended, Cycle{29 + 4 + 2 * 12});
}

// Three kernels hold an SM each and leave in cycles 27, 37 and 47. The kernel that follows has six blocks, of
// which four fit an SM.
std::vector<std::string> issues_after_drains(double settle, std::uint64_t last = 40) {
  const auto policy = PolicyRegistry<SmPartitioner>::make({"fcfs-s", {{"settle", settle}}});
  const auto drain = make_policy<Preemption>("drain");
  FakeGpu gpu(test_spec(), test_limits(4), 3, *policy, *drain);
  const Log log(gpu);
  for (const std::uint64_t cycles : {std::uint64_t{20}, std::uint64_t{30}, last})
    gpu.launch(Cycle{0}, test_kernel(0, 1, cycles));
  gpu.launch(Cycle{0}, test_kernel(0, 6, 100));
  gpu.run();
  return {log.issues.begin() + 3, log.issues.end()};
}

TEST(FcfsS, TheFirstSmsThatDrainAreFilledAndTheLastOneGetsNoBlock) {
  EXPECT_THAT(issues_after_drains(0), ElementsAre("31 sm0 k3 b0", "32 sm0 k3 b1", "33 sm0 k3 b2",
                                                  "34 sm0 k3 b3", "41 sm1 k3 b4", "42 sm1 k3 b5"));
}

TEST(FcfsS, SmsThatDrainWithinTheTimeToSettleGetAnEvenShareEach) {
  EXPECT_THAT(issues_after_drains(50), ElementsAre("31 sm0 k3 b0", "32 sm0 k3 b1", "41 sm1 k3 b2",
                                                   "42 sm1 k3 b3", "51 sm2 k3 b4", "52 sm2 k3 b5"));
}

TEST(FcfsS, AfterTheTimeToSettleNoBlockWaitsForAnSmThatStillDrains) {
  // The first SM is free in cycle 27, and the third one not before cycle 407.
  EXPECT_THAT(issues_after_drains(50, 400), ElementsAre("31 sm0 k3 b0", "32 sm0 k3 b1", "41 sm1 k3 b2",
                                                        "42 sm1 k3 b3", "77 sm0 k3 b4", "77 sm1 k3 b5"));
}

}  // namespace
}  // namespace heddle
