#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/core/base/random.h"
#include "platforms/campaign/plan/axes.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Axis axis_of(const std::string& key, const std::vector<std::string>& values) {
  Axis axis;
  for (const std::string& value : values) axis.push_back({{key, value}});
  return axis;
}

TEST(CampaignAxes, NoAxisIsOnePoint) {
  EXPECT_EQ(points_of({}), 1u);
  EXPECT_THAT(points_left({}, {}), ElementsAre(0u));
  EXPECT_THAT(steps_of({}, 0), IsEmpty());
}

TEST(CampaignAxes, SizeIsTheProductOfTheAxes) {
  EXPECT_EQ(points_of({axis_of("a", {"1", "2", "3"}), axis_of("b", {"1", "2"}), axis_of("c", {"1"})}), 6u);
  EXPECT_EQ(points_of({axis_of("a", {"1", "2", "3"}), Axis{}}), 0u);
}

TEST(CampaignAxes, SizeBeyond64BitsIsNone) {
  const std::vector<Axis> nine(9, Axis(200));  // 200^9 = 5.12 10^20
  EXPECT_EQ(points_of(nine), std::nullopt);
  const std::vector<Axis> eight(8, Axis(200));
  EXPECT_EQ(points_of(eight), 2560000000000000000u);
  std::vector<Axis> and_empty = nine;
  and_empty.emplace_back();
  EXPECT_EQ(points_of(and_empty), 0u);
}

TEST(CampaignAxes, LastAxisVariesFastest) {
  const std::vector<Axis> axes{axis_of("a", {"1", "2"}), axis_of("b", {"1", "2", "3"})};
  EXPECT_THAT(steps_of(axes, 0), ElementsAre(0u, 0u));
  EXPECT_THAT(steps_of(axes, 1), ElementsAre(0u, 1u));
  EXPECT_THAT(steps_of(axes, 3), ElementsAre(1u, 0u));
  EXPECT_THAT(steps_of(axes, 5), ElementsAre(1u, 2u));
}

TEST(CampaignAxes, ExclusionLeavesOutWhatAgreesWithAllOfIt) {
  const std::vector<Axis> axes{axis_of("a", {"1", "2"}), axis_of("b", {"1", "2", "3"})};
  EXPECT_THAT(points_left(axes, {{{"a", "1"}, {"b", "2"}}}), ElementsAre(0u, 2u, 3u, 4u, 5u));
  EXPECT_THAT(points_left(axes, {{{"a", "1"}}}), ElementsAre(3u, 4u, 5u));
  EXPECT_THAT(points_left(axes, {{{"a", "1"}}, {{"b", "3"}}}), ElementsAre(3u, 4u));
  EXPECT_THAT(points_left(axes, {{{"a", "1"}}, {{"a", "2"}}}), IsEmpty());
}

TEST(CampaignAxes, ExclusionOfWhatNoPointHasLeavesOutNothing) {
  const std::vector<Axis> axes{axis_of("a", {"1", "2"})};
  EXPECT_EQ(points_left(axes, {{{"a", "3"}}}).size(), 2u);
  EXPECT_EQ(points_left(axes, {{{"a", "1"}, {"c", "1"}}}).size(), 2u);
}

TEST(CampaignAxes, ExclusionTakesTheStepsThatNameItsKeyOnly) {
  const Axis list{{{"p", "x"}}, {{"p", "y"}, {"j", "1"}}, {{"p", "x"}, {"j", "1"}}};
  EXPECT_THAT(points_left({list}, {{{"j", "1"}}}), ElementsAre(0u));
  EXPECT_THAT(points_left({list}, {{{"p", "x"}, {"j", "1"}}}), ElementsAre(0u, 1u));
}

// Returns every combination of the axes as the set of all its assignments.
std::vector<std::set<Assignment>> product(const std::vector<Axis>& axes) {
  std::vector<std::set<Assignment>> points{{}};
  for (const Axis& axis : axes) {
    std::vector<std::set<Assignment>> longer;
    for (const std::set<Assignment>& point : points)
      for (const Step& step : axis) {
        longer.push_back(point);
        longer.back().insert(step.begin(), step.end());
      }
    points = longer;
  }
  return points;
}

std::vector<Axis> random_axes(Random& random) {
  std::vector<Axis> axes(random.below(4));
  for (std::size_t a = 0; a < axes.size(); ++a)
    for (std::uint64_t s = 0, steps = 1 + random.below(4); s < steps; ++s) {
      axes[a].emplace_back();
      for (std::uint64_t k = 0, keys = random.below(3); k < keys; ++k)
        axes[a].back().push_back(
            {std::to_string(a) + "." + std::to_string(k), std::to_string(random.below(3))});
    }
  return axes;
}

std::vector<std::vector<Assignment>> random_exclusions(Random& random) {
  std::vector<std::vector<Assignment>> exclusions(random.below(4));
  for (std::vector<Assignment>& exclusion : exclusions)
    for (std::uint64_t i = 0, keys = 1 + random.below(2); i < keys; ++i)
      exclusion.push_back({std::to_string(random.below(4)) + "." + std::to_string(random.below(2)),
                           std::to_string(random.below(3))});
  return exclusions;
}

TEST(CampaignAxes, PointsLeftAreThoseOfTheWrittenOutProduct) {
  std::uint64_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= cases(2000); ++seed) {
    Random random(seed);
    const std::vector<Axis> axes = random_axes(random);
    const auto exclusions = random_exclusions(random);
    const std::vector<std::set<Assignment>> all = product(axes);
    ASSERT_EQ(points_of(axes), all.size());
    std::vector<std::uint64_t> expected;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::set<Assignment> set;
      const std::vector<std::size_t> steps = steps_of(axes, i);
      for (std::size_t a = 0; a < axes.size(); ++a)
        set.insert(axes[a][steps[a]].begin(), axes[a][steps[a]].end());
      ASSERT_TRUE(set == all[i]) << "seed " << seed << ", point " << i;
      if (std::none_of(exclusions.begin(), exclusions.end(), [&](const auto& exclusion) {
            return std::all_of(exclusion.begin(), exclusion.end(),
                               [&](const Assignment& a) { return all[i].count(a) == 1; });
          }))
        expected.push_back(i);
    }
    ASSERT_EQ(points_left(axes, exclusions), expected) << "seed " << seed;
    left_out += all.size() - expected.size();
  }
  EXPECT_GT(left_out, 1000u);
}

}  // namespace
}  // namespace heddle
