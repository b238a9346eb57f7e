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

TEST(Mix, PairsTakeShortShortLongLongAndShortLongInTurn) {
  const std::vector<std::size_t> longs{0, 2, 1};
  for (std::uint64_t index = 0; index < 30; ++index)
    EXPECT_EQ(draw_mix(kFive, 2, 7, index).long_members, longs[index % 3]) << index;
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
    for (const std::size_t member : draw_mix(kFive, 3, 1, index).members) ++drawn[member];
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
  // There is one long application and two are required.
  EXPECT_THROW(draw_mix({{"a", 1}, {"b", 2}}, 2, 1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
