// The cycles in which SMs are asked for samples.

#include "models/engine/sampling_clock.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(SamplingClock, WithoutAPeriodItNeverAsks) {
  SamplingClock clock(0, 4);
  for (std::uint64_t now = 0; now < 10; ++now) EXPECT_FALSE(clock.ask(Cycle{now}, now % 3 != 0));
  EXPECT_EQ(clock.due(), Cycle::never());
}

TEST(SamplingClock, AsksAtTheFirstKernelEveryPeriodAndAfterTheLast) {
  SamplingClock clock(100, 1);
  EXPECT_FALSE(clock.ask(Cycle{3}, false));
  EXPECT_EQ(clock.due(), Cycle::never());
  EXPECT_TRUE(clock.ask(Cycle{10}, true));
  EXPECT_EQ(clock.due(), Cycle::never()) << "not before the answer";
  EXPECT_TRUE(clock.answered());
  EXPECT_EQ(clock.due(), Cycle{110});
  EXPECT_FALSE(clock.ask(Cycle{109}, true));
  EXPECT_TRUE(clock.ask(Cycle{110}, true));
  EXPECT_TRUE(clock.answered());
  EXPECT_EQ(clock.due(), Cycle{210});
  EXPECT_TRUE(clock.ask(Cycle{150}, false));
  EXPECT_TRUE(clock.answered());
  EXPECT_EQ(clock.due(), Cycle::never());
  EXPECT_FALSE(clock.ask(Cycle{210}, false));
  EXPECT_TRUE(clock.ask(Cycle{300}, true));
}

TEST(SamplingClock, AQuestionWaitsForTheAnswersOfAllSms) {
  SamplingClock clock(5, 3);
  EXPECT_TRUE(clock.ask(Cycle{0}, true));
  EXPECT_FALSE(clock.answered());
  EXPECT_FALSE(clock.answered());
  EXPECT_FALSE(clock.ask(Cycle{9}, true));
  EXPECT_TRUE(clock.answered());
  EXPECT_TRUE(clock.ask(Cycle{9}, true));
}

TEST(SamplingClock, AnEndThatFallsBetweenQuestionAndAnswerIsAskedAboutAfterTheAnswer) {
  SamplingClock clock(100, 1);
  EXPECT_TRUE(clock.ask(Cycle{0}, true));
  EXPECT_FALSE(clock.ask(Cycle{5}, false));
  EXPECT_TRUE(clock.answered());
  EXPECT_TRUE(clock.ask(Cycle{10}, false));
}

}  // namespace
}  // namespace heddle
