#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "platforms/experiment/mix.h"

namespace heddle {
namespace {

// Five applications. The long half, rounded down, is b and d.
const std::vector<MixCandidate> kFive{{"a", 1}, {"b", 50}, {"c", 2}, {"d", 40}, {"e", 3}};

TEST(Mix, LongIsTheHalfWithTheLargestBlockTimeRoundedDown) {
  EXPECT_EQ(long_candidates(kFive), (std::vector<bool>{false, true, false, true, false}));
}

// Of five candidates two are long, so that a mix of four has at least one long member and at most two.
TEST(Mix, EverySizeTakesTheThreeCategoriesInTurn) {
  const std::vector<std::size_t> of_two{0, 2, 1};
  const std::vector<std::size_t> of_four{1, 2, 2};
  for (std::uint64_t index = 0; index < 30; ++index) {
    EXPECT_EQ(draw_mix(kFive, 2, 7, index).long_members, of_two[index % 3]) << index;
    EXPECT_EQ(draw_mix(kFive, 4, 7, index).long_members, of_four[index % 3]) << index;
    EXPECT_EQ(draw_mix(kFive, 2, 7, index, MixCategory::kLong).long_members, 2U) << index;
    EXPECT_EQ(draw_mix(kFive, 3, 7, index, MixCategory::kMixed).long_members, 1U) << index;
  }
}

// The eleven applications of Parboil are five long and six short ones.
TEST(Mix, AMixOfEightOfElevenIsAsNearToItsCategoryAsTheCandidatesAllow) {
  std::vector<MixCandidate> eleven;
  for (int i = 0; i < 11; ++i) eleven.push_back({std::string(1, static_cast<char>('a' + i)), 1.0 + i});
  EXPECT_EQ(draw_mix(eleven, 8, 1, 0).long_members, 2U);
  EXPECT_EQ(draw_mix(eleven, 8, 1, 1).long_members, 5U);
  EXPECT_EQ(draw_mix(eleven, 8, 1, 2).long_members, 4U);
  EXPECT_EQ(draw_mix(eleven, 4, 1, 0).long_members, 0U);
  EXPECT_EQ(draw_mix(eleven, 4, 1, 1).long_members, 4U);
  std::set<std::size_t> by_chance;
  for (std::uint64_t index = 0; index < 60; ++index)
    by_chance.insert(draw_mix(eleven, 4, 1, index, MixCategory::kAny).long_members);
  EXPECT_GT(by_chance.size(), 3U);
}

// The first member, which may have priority, is of either class.
TEST(Mix, TheOrderOfTheMembersIsDrawn) {
  int first_is_long = 0;
  for (std::uint64_t index = 2; index < 300; index += 3) {
    const std::size_t first = draw_mix(kFive, 2, 1, index).members.front();
    first_is_long += first == 1 || first == 3 ? 1 : 0;
  }
  EXPECT_GT(first_is_long, 25);
  EXPECT_LT(first_is_long, 75);
}

TEST(Mix, MembersAreDistinctAndTheSplitIsReported) {
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Mix mix = draw_mix(kFive, 4, 7, index);
    const std::set<std::size_t> distinct(mix.members.begin(), mix.members.end());
    EXPECT_EQ(distinct.size(), 4U);
    EXPECT_EQ(mix.long_members, distinct.count(1) + distinct.count(3));
  }
}

TEST(Mix, EveryApplicationIsDrawnAboutEquallyOften) {
  std::vector<int> drawn(kFive.size());
  for (std::uint64_t index = 0; index < 1000; ++index)
    for (const std::size_t member : draw_mix(kFive, 3, 1, index, MixCategory::kAny).members) ++drawn[member];
  for (const int times : drawn) EXPECT_NEAR(times, 600, 60);
}

TEST(Mix, TheSameSeedAndIndexDrawTheSameMixAndOthersDiffer) {
  EXPECT_EQ(draw_mix(kFive, 4, 3, 5).members, draw_mix(kFive, 4, 3, 5).members);
  int same = 0;
  for (std::uint64_t index = 0; index < 50; ++index)
    same += draw_mix(kFive, 4, 3, index).members == draw_mix(kFive, 4, 4, index).members ? 1 : 0;
  EXPECT_LT(same, 10);
}

TEST(Mix, RefusesMoreMembersThanCandidates) {
  EXPECT_THROW(draw_mix(kFive, 6, 1, 0), std::invalid_argument);
  EXPECT_THROW(draw_mix(kFive, 0, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
