#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/test_machine.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

std::vector<int> decide(const TestMachine& machine) {
  return machine.holders(*make_policy<SmPartitioner>("spatial"));
}

TEST(Spatial, SmsAreSplitEvenlyAndTheOldestGetsWhatDoesNotDivide) {
  TestMachine machine(4, {{}, {}, {}});
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  machine.kernel(2, 9);
  EXPECT_THAT(decide(machine), ElementsAre(0, 0, 1, 2));
}

TEST(Spatial, AKernelThatComesTakesHalfWithTheFewestBlocksToWaitFor) {
  TestMachine machine(4, {{}, {}});
  const int first = machine.kernel(0, 9, 4);
  const int second = machine.kernel(1, 9);
  machine.runs(0, first, 4).runs(1, first, 2).runs(2, first, 3).runs(3, first, 1);
  EXPECT_THAT(decide(machine), ElementsAre(first, second, first, second));
}

TEST(Spatial, WhatAKernelHasNoBlocksForGoesToTheOthers) {
  TestMachine machine(4, {{}, {}});
  machine.kernel(0, 1);
  machine.kernel(1, 9);
  EXPECT_THAT(decide(machine), ElementsAre(0, 1, 1, 1));
}

TEST(Spatial, AnSmBeingSetUpCountsAmongTheSmsAKernelHasBlocksFor) {
  TestMachine machine(4, {{}, {}});
  const int first = machine.kernel(0, 1);
  const int second = machine.kernel(1, 9);
  machine.sets_up(0, first);
  EXPECT_THAT(decide(machine), ElementsAre(first, second, second, second));
}

TEST(Spatial, SmsOfAKernelThatWentGoToThoseThatStay) {
  TestMachine machine(4, {{}, {}});
  const int first = machine.kernel(0, 9);
  const int second = machine.kernel(1, 9);
  machine.runs(0, first, 1).runs(3, second, 1);
  EXPECT_THAT(decide(machine), ElementsAre(first, first, second, second));
}

TEST(Spatial, TheYoungestWaitWhenThereAreMoreKernelsThanSms) {
  TestMachine machine(2, {{}, {}, {}});
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  machine.kernel(2, 9);
  EXPECT_THAT(decide(machine), ElementsAre(0, 1));
}

TEST(Spatial, AnEvenSplitIsLeftAlone) {
  TestMachine machine(3, {{}, {}});
  const int first = machine.kernel(0, 9);
  const int second = machine.kernel(1, 9);
  machine.runs(0, second, 1).runs(1, first, 1).runs(2, first, 1);
  EXPECT_THAT(decide(machine), ElementsAre(second, first, first));
}

}  // namespace
}  // namespace heddle
