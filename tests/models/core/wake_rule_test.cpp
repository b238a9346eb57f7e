// When the owner of a port wakes: the cycles of one rule, which every port has.

#include "models/core/link/wake_rule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/core/base/random.h"

namespace heddle {
namespace {

constexpr Cycle kNow{100};

TEST(WakeRule, WithNothingToDoTheOwnerSleeps) {
  const WakeRule rule;
  EXPECT_EQ(rule.due(kNow, Cycle::never(), Cycle::never()), Cycle::never());
  EXPECT_EQ(rule.due(kNow, Cycle::never(), kNow), Cycle::never()) << "the other side takes since before";
}

TEST(WakeRule, AnArrivalWakesInItsCycleAndOnceOnly) {
  const WakeRule rule;
  EXPECT_EQ(rule.due(kNow, Cycle{103}, Cycle{0}), Cycle{103});
  EXPECT_EQ(rule.due(Cycle{102}, Cycle{103}, Cycle{0}), Cycle{103});
  EXPECT_EQ(rule.due(Cycle{103}, Cycle{103}, Cycle{0}), Cycle::never()) << "the owner has seen it";
}

TEST(WakeRule, AnArrivalWakesNoEarlierThanTheOwnerTakesIt) {
  WakeRule rule;
  rule.take_from(Cycle{110});
  EXPECT_EQ(rule.due(kNow, Cycle{103}, Cycle{0}), Cycle{110});
  EXPECT_EQ(rule.due(kNow, Cycle{90}, Cycle{0}), Cycle{110});
  EXPECT_EQ(rule.due(kNow, Cycle{111}, Cycle{0}), Cycle{111});
  EXPECT_EQ(rule.due(kNow, Cycle::never(), Cycle{0}), Cycle::never());
  rule.take_from(Cycle::never());
  EXPECT_EQ(rule.due(kNow, Cycle{103}, Cycle{0}), Cycle::never());
}

TEST(WakeRule, WhatIsSentWakesWhenItIsReadyAndTheOtherSideTakesIt) {
  WakeRule rule;
  rule.send_from(Cycle{105});
  EXPECT_EQ(rule.due(kNow, Cycle::never(), Cycle{0}), Cycle{105});
  EXPECT_EQ(rule.due(kNow, Cycle::never(), Cycle{107}), Cycle{107});
  EXPECT_EQ(rule.due(kNow, Cycle::never(), Cycle::never()), Cycle::never()) << "the last one is not taken";
  EXPECT_EQ(rule.due(Cycle{106}, Cycle::never(), Cycle{0}), Cycle::never());
  EXPECT_TRUE(rule.sends());
  rule.send_from(Cycle::never());
  EXPECT_FALSE(rule.sends());
  EXPECT_EQ(rule.due(kNow, Cycle::never(), Cycle{107}), Cycle::never());
}

// An owner that says nothing is told of each time at which the other side takes again.
TEST(WakeRule, AtFirstThePortTellsWhenTheOtherSideTakesAgain) {
  const WakeRule rule;
  EXPECT_EQ(rule.due(kNow, Cycle::never(), Cycle{101}), Cycle{101});
  EXPECT_EQ(rule.sends_at(Cycle{101}), Cycle{101});
}

TEST(WakeRule, TheEarliestOfAllCounts) {
  WakeRule rule;
  rule.send_from(Cycle{108});
  EXPECT_EQ(rule.due(kNow, Cycle{104}, Cycle{0}), Cycle{104});
  EXPECT_EQ(rule.due(kNow, Cycle{109}, Cycle{0}), Cycle{108});
  rule.came(kNow, Cycle{102});
  EXPECT_EQ(rule.due(kNow, Cycle{104}, Cycle{0}), Cycle{102});
}

TEST(WakeRule, WhatCameInTheCycleIsRepeatedInItAndForgottenAfterIt) {
  WakeRule rule;
  rule.take_from(Cycle::never());
  rule.came(kNow, Cycle{103});
  rule.came(kNow, Cycle{102});
  rule.came(kNow, Cycle{106});
  EXPECT_EQ(rule.due(kNow, Cycle{102}, Cycle{0}), Cycle{102}) << "though the owner takes nothing";
  EXPECT_EQ(rule.due(Cycle{101}, Cycle{102}, Cycle{0}), Cycle::never());
  rule.came(Cycle{101}, Cycle{109});
  EXPECT_EQ(rule.due(Cycle{101}, Cycle{102}, Cycle{0}), Cycle{109});
}

TEST(WakeRule, AResetForgetsAll) {
  WakeRule rule;
  rule.take_from(Cycle{200});
  rule.send_from(Cycle::never());
  rule.came(kNow, Cycle{102});
  rule.reset();
  EXPECT_EQ(rule.due(kNow, Cycle{104}, Cycle::never()), Cycle{104});
  EXPECT_TRUE(rule.sends());
}

// An owner that takes and sends at random cycles, and asks its port after each tick, acts in the same cycles
// as one that is ticked in every cycle. Each thing that comes wakes the owner when it comes, as a port does.
std::vector<std::uint64_t> acts(std::uint64_t seed, bool sleeps) {
  Random random(seed);
  WakeRule rule;
  std::vector<std::uint64_t> acted;
  std::vector<Cycle> arrived;  // in order of their cycles
  Cycle free{0}, take_from{0}, send_from{0}, wake{0};
  std::uint64_t next_arrival = 5, next_free = 0;
  for (Cycle now{1}; now < Cycle{3000}; now = now + 1) {
    if (now.value == next_arrival) {
      const Cycle due = std::max(now + 1 + random.below(4), arrived.empty() ? Cycle{0} : arrived.back());
      arrived.push_back(due);
      rule.came(now, due);
      wake = std::min(wake, due);
      next_arrival += 1 + random.below(20);
    }
    if (now.value == next_free) {
      free = now + 1;
      if (rule.sends()) wake = std::min(wake, rule.sends_at(free));
    }
    if (sleeps && now < wake) continue;
    if (!arrived.empty() && arrived.front() <= now && take_from <= now) {
      acted.push_back(now.value);
      arrived.erase(arrived.begin());
      take_from = now + 1 + now.value % 7;
    }
    if (free <= now && send_from <= now) {
      acted.push_back(now.value);
      free = Cycle::never();
      next_free = now.value + 1 + now.value % 5;
      send_from = now + 1 + now.value % 11;
    }
    rule.take_from(std::max(take_from, now + 1));
    rule.send_from(std::max(send_from, now + 1));
    wake = rule.due(now, arrived.empty() ? Cycle::never() : arrived.front(), free);
  }
  return acted;
}

TEST(WakeRule, SleepingChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<std::uint64_t> awake = acts(seed, false);
    EXPECT_GT(awake.size(), 300u);
    EXPECT_EQ(acts(seed, true), awake) << seed;
  }
}

}  // namespace
}  // namespace heddle
