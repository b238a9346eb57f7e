// Launches that are chosen by their numbers.

#include "stimuli/application/launch_ranges.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace heddle {
namespace {

TEST(LaunchRanges, HoldTheirEndsAndNoOthers) {
  const LaunchRanges ranges = LaunchRanges::read("2,4-6");
  std::string held;
  for (std::uint64_t launch = 1; launch < 9; ++launch)
    if (ranges.hold(launch)) held += std::to_string(launch);
  EXPECT_EQ(held, "2456");
  EXPECT_EQ(ranges.last(), 6u);
}

TEST(LaunchRanges, MayBeOpenAtBothEnds) {
  EXPECT_TRUE(LaunchRanges::read("-3").hold(1));
  EXPECT_FALSE(LaunchRanges::read("-3").hold(4));
  EXPECT_TRUE(LaunchRanges::read("3-").hold(1'000'000));
  EXPECT_EQ(LaunchRanges::read("3-").last(), LaunchRanges::kEnd);
  EXPECT_TRUE(LaunchRanges().hold(1));
  EXPECT_EQ(LaunchRanges().last(), LaunchRanges::kEnd);
}

TEST(LaunchRanges, AreWrittenAsTheyAreRead) {
  for (const char* text : {"3", "3-5", "3-", "1,4-6,9-"}) EXPECT_EQ(LaunchRanges::read(text).text(), text);
  EXPECT_EQ(LaunchRanges::read("-5").text(), "1-5");
  EXPECT_EQ(LaunchRanges(3, 5).text(), "3-5");
}

TEST(LaunchRanges, RefuseWhatNamesNoLaunches) {
  for (const char* text : {"", "-", "0", "0-3", "5-3", "1,1", "3,2", "2-4,4", "a", "1-b", "1,", ",1", "1 - 2",
                           "99999999999999999999"})
    EXPECT_THROW(LaunchRanges::read(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace heddle
