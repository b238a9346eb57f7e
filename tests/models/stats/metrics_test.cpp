#include <gtest/gtest.h>

#include <stdexcept>

#include "models/stats/metrics.h"

namespace heddle {
namespace {

TEST(Metrics, FollowEyermanAndEeckhoutOnAHandComputedPair) {
  const Multiprogram metrics = multiprogram({20, 40}, {10, 10});  // NTT 2 and 4
  EXPECT_DOUBLE_EQ(metrics.ntt[0], 2.0);
  EXPECT_DOUBLE_EQ(metrics.ntt[1], 4.0);
  EXPECT_DOUBLE_EQ(metrics.antt, 3.0);
  EXPECT_DOUBLE_EQ(metrics.stp, 0.75);
  EXPECT_DOUBLE_EQ(metrics.fairness, 0.5);
  EXPECT_DOUBLE_EQ(metrics.minimum_speedup, 0.25);
  EXPECT_DOUBLE_EQ(metrics.harmonic_speedup, 1.0 / 3.0);
}

TEST(Metrics, OneProgramAloneIsOneEverywhere) {
  const Multiprogram metrics = multiprogram({7}, {7});
  for (const double value :
       {metrics.antt, metrics.stp, metrics.fairness, metrics.minimum_speedup, metrics.harmonic_speedup})
    EXPECT_DOUBLE_EQ(value, 1.0);
}

TEST(Metrics, RefuseWhatCannotBeCompared) {
  EXPECT_THROW(multiprogram({}, {}), std::invalid_argument);
  EXPECT_THROW(multiprogram({1, 2}, {1}), std::invalid_argument);
  EXPECT_THROW(multiprogram({1, 0}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(multiprogram({1, 1}, {1, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
