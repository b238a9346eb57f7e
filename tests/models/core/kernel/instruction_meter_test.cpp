#include "models/core/kernel/instruction_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr ContextId kFirst{0};
constexpr ContextId kSecond{1};

TEST(InstructionMeter, CountsWhatItHasTakenAndWhatItHasNot) {
  InstructionMeter meter(2);
  InstructionTally& a = meter.add_sm();
  InstructionTally& b = meter.add_sm();
  meter.set_target(kFirst, 9);
  for (int i = 0; i < 5; ++i) a.issued(kFirst);
  b.issued(kFirst);
  b.issued(kSecond);
  ASSERT_TRUE(a.is_due());
  meter.take(a);
  EXPECT_FALSE(a.is_due());
  EXPECT_FALSE(b.is_due());
  EXPECT_EQ(a.count(kFirst), 0u);
  EXPECT_EQ(meter.count(kFirst), 6u);
  EXPECT_EQ(meter.count(kSecond), 1u);
  meter.reset();
  EXPECT_EQ(meter.count(kFirst), 0u);
  EXPECT_EQ(b.count(kFirst), 0u);
}

TEST(InstructionMeter, ReportsATargetOnceHoweverManyInstructionsComeAtOnce) {
  InstructionMeter meter(2);
  InstructionTally& tally = meter.add_sm();
  meter.set_target(kSecond, 10);
  std::vector<ContextId> reached;
  meter.on_reached([&](ContextId context) { reached.push_back(context); });
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 4; ++i) tally.issued(kSecond);
    tally.issued(kFirst);
    if (tally.is_due()) meter.take(tally);
    EXPECT_EQ(reached.size(), round < 2 ? 0u : 1u) << round;
  }
  EXPECT_EQ(reached, std::vector<ContextId>{kSecond});
}

// SMs issue at random, some of them nothing for a long time. In each cycle all of them work, and then those
// whose tally is due pass it on.
TEST(InstructionMeter, ReportsATargetInTheCycleInWhichItIsReached) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    Random random(seed);
    InstructionMeter meter(2);
    const std::uint64_t sms = 1 + random.below(20);
    std::vector<InstructionTally*> tallies;
    std::vector<std::uint64_t> rate;  // how often each SM issues, in per cent
    for (std::uint64_t i = 0; i < sms; ++i) {
      tallies.push_back(&meter.add_sm());
      rate.push_back(random.below(101));
    }
    rate[0] = std::max<std::uint64_t>(rate[0], 1);
    const std::uint64_t target = 1 + random.below(3000);
    meter.set_target(kFirst, target);
    std::uint64_t reached = 0, issued = 0, calls = 0;
    meter.on_reached([&](ContextId) { ++reached; });
    while (issued < target) {
      for (std::uint64_t i = 0; i < sms; ++i) {
        if (random.below(1000) == 0) rate[i] = random.below(101);
        for (std::uint64_t slot = 0; slot < 4; ++slot) {
          if (random.below(100) >= rate[i]) continue;
          tallies[i]->issued(kFirst);
          tallies[i]->issued(kSecond);
          ++issued;
        }
      }
      rate[0] = std::max<std::uint64_t>(rate[0], 1);
      for (InstructionTally* tally : tallies) {
        if (!tally->is_due()) continue;
        meter.take(*tally);
        ++calls;
      }
      EXPECT_EQ(reached, issued < target ? 0u : 1u) << seed;
      EXPECT_EQ(meter.count(kFirst), issued) << seed;
      EXPECT_EQ(meter.count(kSecond), issued) << seed;
    }
    // A call takes at least a part of what is missing.
    EXPECT_LE(calls, 4 * sms * 16) << seed;
  }
}

}  // namespace
}  // namespace heddle::test
