#include "policies/sm_partitioner/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/test_machine.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

Token token(double imbalance = 1) {
  return Token(PolicyParameters({{"imbalance", imbalance}}));
}

TEST(Token, AKernelAloneTakesEverySmAndItsCountGoesBelowZero) {
  Token policy = token();
  TestMachine machine(4, {{0, 2}, {0, 2}});
  machine.kernel(0, 9);
  EXPECT_THAT(machine.holders(policy), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(*policy.tokens(), ElementsAre(-2, 2));
}

TEST(Token, IdleSmsGoToTheHighestCountOneByOne) {
  Token policy = token();
  TestMachine machine(4, {{0, 1}, {0, 3}});
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  // 3:1 -> 2:1 -> 1:1, where the older one wins the tie.
  EXPECT_THAT(machine.holders(policy), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(*policy.tokens(), ElementsAre(0, 0));
}

TEST(Token, AKernelThatComesIsGivenSmsUntilTheCountsAreEqual) {
  Token policy = token();
  TestMachine machine(4, {{0, 2}, {0, 2}});
  const int first = machine.kernel(0, 9, 4);
  const int second = machine.kernel(1, 9);
  machine.runs(0, first, 4).runs(1, first, 1).runs(2, first, 2).runs(3, first, 4);
  // These SMs drain first.
  EXPECT_THAT(machine.holders(policy), ElementsAre(first, second, second, first));
  EXPECT_THAT(*policy.tokens(), ElementsAre(0, 0));
}

TEST(Token, ADifferenceOfOneIsLeftStanding) {
  Token policy = token();
  TestMachine machine(3, {{0, 1}, {0, 1}});
  const int first = machine.kernel(0, 9);
  const int second = machine.kernel(1, 9);
  machine.runs(0, first, 1).runs(1, first, 1).runs(2, first, 1);
  EXPECT_THAT(machine.holders(policy), ElementsAre(second, first, first));
  EXPECT_THAT(*policy.tokens(), ElementsAre(-1, 0));
}

TEST(Token, ALargerImbalanceLeavesMoreStanding) {
  Token policy = token(3);
  TestMachine machine(4, {{0, 2}, {0, 2}});
  const int first = machine.kernel(0, 9);
  const int second = machine.kernel(1, 9);
  machine.runs(0, first, 1).runs(1, first, 1).runs(2, first, 1).runs(3, first, 1);
  EXPECT_THAT(machine.holders(policy), ElementsAre(second, first, first, first));
  EXPECT_THAT(*policy.tokens(), ElementsAre(-1, 1));
}

TEST(Token, AllTokensToOneContextGiveItEverySmWhileItHasWork) {
  Token policy = token();
  TestMachine machine(3, {{0, 0}, {0, 3}});
  const int low = machine.kernel(0, 9);
  const int high = machine.kernel(1, 9);
  machine.runs(0, low, 1).runs(1, low, 1).runs(2, low, 1);
  EXPECT_THAT(machine.holders(policy), ElementsAre(high, high, high));
  EXPECT_THAT(*policy.tokens(), ElementsAre(0, 0));
}

TEST(Token, SmsAreSplitInProportionToTokens) {
  Token policy = token();
  TestMachine machine(4, {{0, 3}, {0, 1}});
  const int many = machine.kernel(0, 9);
  const int few = machine.kernel(1, 9);
  machine.runs(0, few, 1).runs(1, few, 1).runs(2, few, 1).runs(3, many, 1);
  EXPECT_THAT(machine.holders(policy), ElementsAre(many, many, few, many));
  EXPECT_THAT(*policy.tokens(), ElementsAre(0, 0));
}

TEST(Token, KernelsOfOneContextShareItsCountAndTheOlderIsServedFirst) {
  Token policy = token();
  TestMachine machine(4, {{0, 2}, {0, 2}});
  machine.kernel(0, 1);
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  EXPECT_THAT(machine.holders(policy), ElementsAre(0, 2, 1, 2));
  EXPECT_THAT(*policy.tokens(), ElementsAre(0, 0));
}

TEST(Token, AKernelWithoutUnissuedBlocksIsNoCandidate) {
  Token policy = token();
  TestMachine machine(3, {{0, 3}, {0, 0}});
  const int tail = machine.kernel(0, 0);
  const int other = machine.kernel(1, 9);
  machine.runs(0, tail, 1);
  EXPECT_THAT(machine.holders(policy), ElementsAre(tail, other, other));
  EXPECT_THAT(*policy.tokens(), ElementsAre(2, -2));
}

TEST(Token, AnSmWithBlocksIsNotIdleThoughNobodyHoldsIt) {
  Token policy = token();
  TestMachine machine(2, {{0, 1}, {0, 1}});
  const int first = machine.kernel(0, 0);
  const int second = machine.kernel(1, 1);
  machine.drains(0, first, 1);
  EXPECT_THAT(machine.holders(policy), ElementsAre(TestMachine::kNobody, second));
}

TEST(Token, ADrainThatTurnedOutNeedlessIsCalledOff) {
  Token policy = token();
  TestMachine machine(2, {{0, 1}, {0, 1}});
  const int first = machine.kernel(0, 9, 2);
  machine.runs(0, first, 2).drains(1, first, 2);
  EXPECT_THAT(machine.holders(policy), ElementsAre(first, first));
  EXPECT_THAT(*policy.tokens(), ElementsAre(-1, 1));
}

TEST(Token, AKernelsOwnDrainIsCalledOffBeforeItWaitsForAnothers) {
  Token policy = token();
  TestMachine machine(2, {{0, 1}, {0, 1}});
  const int first = machine.kernel(0, 1, 4);
  const int second = machine.kernel(1, 0, 4);
  machine.drains(0, second, 1).drains(1, first, 3);
  EXPECT_THAT(machine.holders(policy), ElementsAre(TestMachine::kNobody, first));
}

TEST(Token, AnSmGivenBackFullTakesNoBlockSoTheKernelWantsAnother) {
  Token policy = token();
  TestMachine machine(3, {{0, 1}, {0, 1}});
  const int first = machine.kernel(0, 1, 2);
  machine.drains(0, first, 2).drains(1, first, 2).drains(2, first, 1);
  EXPECT_THAT(machine.holders(policy), ElementsAre(TestMachine::kNobody, TestMachine::kNobody, first));
  machine.view().sms[2].slices[0].running = 2;
  EXPECT_THAT(machine.holders(policy), ElementsAre(first, first, first));
}

TEST(Token, AnSmBeingDrainedAlreadyIsTakenBeforeAnotherDrainStarts) {
  Token policy = token();
  TestMachine machine(4, {{0, 1}, {0, 2}, {0, 1}});
  const int first = machine.kernel(0, 9, 4);
  const int second = machine.kernel(2, 9, 4);
  const int third = machine.kernel(1, 9);
  machine.runs(0, first, 4).runs(1, second, 1).drains(2, first, 4).waits(2, second).runs(3, second, 1);
  EXPECT_THAT(machine.holders(policy), ElementsAre(first, third, third, second));
  EXPECT_THAT(*policy.tokens(), ElementsAre(0, 0, 0));
}

TEST(Token, CountsStartAfreshFromEveryView) {
  Token policy = token();
  TestMachine machine(2, {{0, 1}, {0, 1}});
  machine.kernel(0, 9);
  machine.holders(policy);
  machine.view().contexts = {{0, 2}, {0, 0}};
  machine.holders(policy);
  EXPECT_THAT(*policy.tokens(), ElementsAre(0, 0));
  policy.reset();
  EXPECT_TRUE(policy.tokens()->empty());
}

// Four contexts without tokens are on three SMs. A drain would only exchange two of them.
TEST(Token, AContextWithoutTokensIsLeftWaiting) {
  Token policy = token();
  TestMachine machine(3, {{0, 0}, {0, 0}, {0, 0}, {0, 0}});
  for (std::uint32_t context = 0; context < 4; ++context) machine.kernel(context, 9);
  machine.runs(0, 0, 1).runs(1, 1, 1).runs(2, 2, 1);
  EXPECT_THAT(machine.holders(policy), ElementsAre(0, 1, 2));
  EXPECT_THAT(*policy.tokens(), ElementsAre(-1, -1, -1, 0));
}

}  // namespace
}  // namespace heddle
