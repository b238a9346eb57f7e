// The arithmetic of a comparison against closed forms.

#include "platforms/correlate/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::correlate {
namespace {

TEST(Agreement, TheLargerOfTheTwoTolerancesCounts) {
  EXPECT_EQ(judge(100, 105, {5, 0}, true), Verdict::kAgree);
  EXPECT_EQ(judge(100, 106, {5, 0}, true), Verdict::kOff);
  EXPECT_EQ(judge(100, 106, {5, 0.06}, true), Verdict::kAgree);
  EXPECT_EQ(judge(100, 94, {0, 0.06}, true), Verdict::kAgree);
  EXPECT_EQ(judge(100, 93.9, {0, 0.06}, true), Verdict::kOff);
  EXPECT_EQ(judge(-100, -106, {0, 0.06}, true), Verdict::kAgree);
}

TEST(Agreement, WhatDoesNotMoveIsNotExercisedUnlessItIsOff) {
  EXPECT_EQ(judge(0, 0, {}, true), Verdict::kNotExercised);
  EXPECT_EQ(judge(7, 7, {}, false), Verdict::kNotExercised);
  EXPECT_EQ(judge(7, 7, {}, true), Verdict::kAgree);
  EXPECT_EQ(judge(0, 100, {}, false), Verdict::kOff);
  EXPECT_EQ(judge(std::nullopt, std::nullopt, {}, true), Verdict::kNotExercised);
  EXPECT_EQ(judge(std::nullopt, 1, {}, true), Verdict::kOff);
  EXPECT_EQ(judge(1, std::nullopt, {}, true), Verdict::kOff);
}

TEST(Agreement, RelativeErrorsAreOfTheRtl) {
  EXPECT_DOUBLE_EQ(relative_error(200, 150), 0.25);
  EXPECT_DOUBLE_EQ(relative_error(-200, 150), 1.75);
  EXPECT_DOUBLE_EQ(relative_error(0, 3), 1);
  EXPECT_DOUBLE_EQ(relative_error(0, 0), 0);
}

TEST(Agreement, PearsonIsOneOnALineAndItsClosedFormElsewhere) {
  EXPECT_DOUBLE_EQ(*pearson({1, 2, 3, 4}, {10, 30, 50, 70}), 1);
  EXPECT_DOUBLE_EQ(*pearson({1, 2, 3, 4}, {-1, -2, -3, -4}), -1);
  EXPECT_DOUBLE_EQ(*pearson({0, 1, 0, 1}, {0, 0, 1, 1}), 0);
  // Deviations (-1, 0, 1) and (-2, 1, 1): 3 / sqrt(2 * 6).
  EXPECT_DOUBLE_EQ(*pearson({1, 2, 3}, {1, 4, 4}), 3 / std::sqrt(12));
  // An offset of 10^9 takes nothing from the digits that count.
  EXPECT_NEAR(*pearson({1e9 + 1, 1e9 + 2, 1e9 + 3}, {1, 4, 4}), 3 / std::sqrt(12), 1e-12);
}

TEST(Agreement, PearsonNeedsTwoValuesThatDiffer) {
  EXPECT_EQ(pearson({}, {}), std::nullopt);
  EXPECT_EQ(pearson({1}, {1}), std::nullopt);
  EXPECT_EQ(pearson({1, 1}, {1, 2}), std::nullopt);
  EXPECT_EQ(pearson({1, 2}, {3, 3}), std::nullopt);
}

TEST(Agreement, TheErrorOfARowIsAMeanAndTheWorstWindow) {
  EXPECT_FALSE(row_error({}, {}).has_value());
  const RowError error = *row_error({100, 10, 0, 1000}, {110, 15, 0, 1500});
  EXPECT_DOUBLE_EQ(error.mean, (0.1 + 0.5 + 0 + 0.5) / 4);
  EXPECT_EQ(error.worst, 3u);  // as bad as the second one, and further away
  EXPECT_EQ(row_error({1, 1}, {1, 1})->worst, 0u);
}

}  // namespace
}  // namespace heddle::correlate
