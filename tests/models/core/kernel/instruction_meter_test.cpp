#include "models/core/kernel/instruction_meter.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::test {
namespace {

constexpr ContextId kFirst{0};
constexpr ContextId kSecond{1};

TEST(InstructionMeter, CountsWhatItHasTakenAndWhatItHasNot) {
  InstructionMeter meter(2);
  InstructionTally& a = meter.add_sm();
  InstructionTally& b = meter.add_sm();
  for (int i = 0; i < 5; ++i) a.issued(kFirst);
  b.issued(kFirst);
  b.issued(kSecond);
  meter.take(a);
  EXPECT_TRUE(a.empty());
  EXPECT_FALSE(b.empty());
  EXPECT_EQ(meter.count(kFirst), 6u);
  EXPECT_EQ(meter.count(kSecond), 1u);
  meter.reset();
  EXPECT_EQ(meter.count(kFirst), 0u);
  EXPECT_TRUE(b.empty());
}

TEST(InstructionMeter, ReportsATargetOnceHoweverManyInstructionsComeAtOnce) {
  InstructionMeter meter(2);
  InstructionTally& tally = meter.add_sm();
  EXPECT_FALSE(meter.has_targets());
  meter.set_target(kSecond, 10);
  EXPECT_TRUE(meter.has_targets());
  std::vector<ContextId> reached;
  meter.on_reached([&](ContextId context) { reached.push_back(context); });
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 4; ++i) tally.issued(kSecond);
    tally.issued(kFirst);
    meter.take(tally);
    EXPECT_EQ(reached.size(), round < 2 ? 0u : 1u) << round;
  }
  EXPECT_EQ(reached, std::vector<ContextId>{kSecond});
}

}  // namespace
}  // namespace heddle::test
