#include "models/stats/path_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace heddle {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const std::vector<std::string>& paths) {
  std::vector<std::string> texts;
  for (const PathRange& range : path_ranges(paths)) texts.push_back(range.text);
  return texts;
}

TEST(PathRanges, ConsecutiveNumbersBecomeOneRange) {
  EXPECT_THAT(texts({"gpu.sm0.hits", "gpu.sm1.hits", "gpu.sm2.hits", "gpu.sm4.hits"}),
              ElementsAre("gpu.sm[0-2].hits", "gpu.sm4.hits"));
}

TEST(PathRanges, SeveralNumbersBecomeOneRangeWhereEveryPairExists) {
  EXPECT_THAT(texts({"l2_0.ksr0", "l2_0.ksr1", "l2_1.ksr0", "l2_1.ksr1", "l2_2.ksr0"}),
              ElementsAre("l2_[0-1].ksr[0-1]", "l2_2.ksr0"));
}

TEST(PathRanges, TheLastNumberChangesFastest) {
  EXPECT_THAT(paths_in("a[0-1].b[8-9]", 4), ElementsAre("a0.b8", "a0.b9", "a1.b8", "a1.b9"));
  const std::vector<PathRange> ranges = path_ranges({"a0.b8", "a0.b9", "a1.b8", "a1.b9"});
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_THAT(ranges[0].paths, ElementsAre(0, 1, 2, 3));
}

TEST(PathRanges, BlocksOfOtherNamesBelowAreApart) {
  EXPECT_THAT(texts({"sm0.hits", "sm0.misses", "sm1.hits", "sm1.misses", "sm2.misses"}),
              ElementsAre("sm[0-1].hits", "sm[0-2].misses"));
}

TEST(PathRanges, LeadingZerosAndLongNumbersStay) {
  EXPECT_THAT(texts({"a00", "a01", "a10"}), ElementsAre("a0[0-1]", "a10"));
  EXPECT_THAT(texts({"a08", "a8", "a09"}), ElementsAre("a0[8-9]", "a8"));
  EXPECT_THAT(texts({"a999999999", "a1000000000"}), ElementsAre("a999999999", "a1000000000"));
}

TEST(PathRanges, ABracketOfANameIsNoRange) {
  EXPECT_THAT(texts({"k[0-3]", "x["}), ElementsAre("k[[]0-3]", "x[[]"));
  EXPECT_THAT(paths_in("k[[]0-3]", 1), ElementsAre("k[0-3]"));
  EXPECT_THAT(paths_in("x[[][0-1]", 2), ElementsAre("x[0", "x[1"));
}

TEST(PathRanges, MorePathsThanAreAllowedAreRefused) {
  EXPECT_EQ(paths_in("a[0-9].b[0-9]", 100).size(), 100u);
  EXPECT_THROW(paths_in("a[0-9].b[0-9]", 99), std::invalid_argument);
}

TEST(PathLess, ComparesNameByName) {
  EXPECT_TRUE(path_less("sm2.z", "sm10.a"));
  EXPECT_TRUE(path_less("sm.z", "sm!.a"));
  EXPECT_TRUE(path_less("a", "a.b"));
  EXPECT_FALSE(path_less("a.b", "a.b"));
}

}  // namespace
}  // namespace heddle
