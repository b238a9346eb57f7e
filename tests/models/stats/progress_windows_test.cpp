// Windows of equal length over a run whose length is not known before.

#include "models/stats/progress_windows.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(ProgressWindows, HaveTheirShortestLengthWhileTheRunIsShort) {
  ProgressWindows windows(10, 4);
  windows.add(3, 1.5);
  windows.add(9, 2);
  windows.add(10, 4);
  windows.add(39, 8);
  EXPECT_EQ(windows.length_ps(), 10U);
  EXPECT_EQ(windows.window(0).count, 2U);
  EXPECT_EQ(windows.window(0).sum, 3.5);
  EXPECT_EQ(windows.window(1).sum, 4);
  EXPECT_EQ(windows.window(2).count, 0U);
  EXPECT_EQ(windows.window(3).sum, 8);
}

TEST(ProgressWindows, AreJoinedInPairsWhenThereWouldBeMoreThanTheMost) {
  ProgressWindows windows(10, 4);
  for (std::uint64_t time = 0; time < 40; time += 10) windows.add(time, 1);
  windows.add(40, 5);
  EXPECT_EQ(windows.length_ps(), 20U);
  EXPECT_EQ(windows.window(0).count, 2U);
  EXPECT_EQ(windows.window(1).sum, 2);
  EXPECT_EQ(windows.window(2).sum, 5);
  EXPECT_EQ(windows.window(3).count, 0U);
  windows.cover(640);
  EXPECT_EQ(windows.length_ps(), 320U);
  EXPECT_EQ(windows.window(0).count, 5U);
}

}  // namespace
}  // namespace heddle
