// The conformance of every registered policy of refreshes and of write drains, and what the default policies
// decide.

#include <gtest/gtest.h>

#include "models/core/base/random.h"
#include "policies/refresh_policy/i_refresh_policy.h"
#include "policies/write_drain/i_write_drain.h"
#include "tests/support/policy_names.h"

namespace heddle {
namespace {

// ---- refresh_policy

class EveryRefreshPolicy : public testing::TestWithParam<PolicyName> {};

RefreshView random_refresh(Random& random, Cycle due) {
  const std::uint64_t interval = 1 + random.below(5000);
  return {due, interval, due + random.below(2) * random.below(8 * interval)};
}

TEST_P(EveryRefreshPolicy, StaysWithinTheTimeOfTheRefreshAndForgetsWithAReset) {
  const auto policy = PolicyRegistry<RefreshPolicy>::make({GetParam().name, {}});
  std::vector<RefreshTimes> first;
  for (int round = 0; round < 2; ++round) {
    Random random(7);
    for (std::uint64_t i = 0; i < 300; ++i) {
      const RefreshView view = random_refresh(random, Cycle{i * 1000});
      const RefreshTimes times = policy->decide(view);
      EXPECT_LE(view.due, times.when_idle);
      EXPECT_LE(times.when_idle, times.when_busy);
      EXPECT_LE(times.when_busy, view.latest);
      if (round == 0) {
        first.push_back(times);
        continue;
      }
      EXPECT_EQ(times.when_idle, first[i].when_idle);
      EXPECT_EQ(times.when_busy, first[i].when_busy);
    }
    policy->reset();
  }
}

HEDDLE_CONFORMANCE(EveryRefreshPolicy, RefreshPolicy);

TEST(DeferUntilEmpty, UsesAllOfTheTimeWhileRequestsWait) {
  const auto policy = PolicyRegistry<RefreshPolicy>::make({RefreshPolicy::kDefault, {}});
  const RefreshTimes times = policy->decide({Cycle{400}, 400, Cycle{3000}});
  EXPECT_EQ(times.when_idle, Cycle{400});
  EXPECT_EQ(times.when_busy, Cycle{3000});
}

// ---- write_drain

class EveryWriteDrain : public testing::TestWithParam<PolicyName> {};

TEST_P(EveryWriteDrain, StartsWithinTheQueueEndsBelowItAndForgetsWithAReset) {
  const auto policy = PolicyRegistry<WriteDrain>::make({GetParam().name, {}});
  std::vector<WriteDrainBounds> first;
  for (int round = 0; round < 2; ++round) {
    Random random(8);
    for (std::uint64_t i = 0; i < 300; ++i) {
      WriteDrainView view;
      view.queue = 1 + static_cast<std::uint32_t>(random.below(64));
      view.high = 1 + static_cast<std::uint32_t>(random.below(view.queue));
      view.low = static_cast<std::uint32_t>(random.below(view.high));
      view.reads = static_cast<std::uint32_t>(random.below(view.queue + 1));
      const WriteDrainBounds bounds = policy->decide(view);
      EXPECT_LT(bounds.stop, bounds.start);
      EXPECT_LE(bounds.start, view.queue);
      if (round == 0) {
        first.push_back(bounds);
        continue;
      }
      EXPECT_EQ(bounds.start, first[i].start);
      EXPECT_EQ(bounds.stop, first[i].stop);
    }
    policy->reset();
  }
}

HEDDLE_CONFORMANCE(EveryWriteDrain, WriteDrain);

TEST(Watermarks, AreThoseOfThePlatform) {
  const auto policy = PolicyRegistry<WriteDrain>::make({WriteDrain::kDefault, {}});
  const WriteDrainBounds bounds = policy->decide({64, 32, 16, 5});
  EXPECT_EQ(bounds.start, 32u);
  EXPECT_EQ(bounds.stop, 16u);
}

}  // namespace
}  // namespace heddle
