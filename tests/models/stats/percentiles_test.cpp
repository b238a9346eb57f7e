#include "models/stats/percentiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/core/base/random.h"

namespace heddle {
namespace {

// Of n samples none is above the quantile q with the probability q^n, and an interval needs that this is at
// most 2.5 %.
TEST(Percentiles, NeedAsManySamplesAsTheLargestMayMiss) {
  EXPECT_EQ(samples_needed(0.5), 6u);
  EXPECT_EQ(samples_needed(0.9), 36u);
  EXPECT_EQ(samples_needed(0.95), 72u);
  EXPECT_EQ(samples_needed(0.99), 368u);
  EXPECT_EQ(samples_needed(0.999), 3688u);
  for (const double q : {0.5, 0.9, 0.95, 0.99, 0.999}) {
    const std::uint64_t needed = samples_needed(q);
    EXPECT_LE(std::pow(q, static_cast<double>(needed)), 0.025);
    EXPECT_GT(std::pow(q, static_cast<double>(needed - 1)), 0.025);
    EXPECT_FALSE(confidence_ranks(needed - 1, q));
    ASSERT_TRUE(confidence_ranks(needed, q));
    EXPECT_EQ(confidence_ranks(needed, q)->high, needed);
  }
}

// The ranks by exact sums of the binomial distribution.
TEST(Percentiles, RanksMissEachSideWithTwoAndAHalfPercentAtMost) {
  for (const std::uint64_t n : {6, 20, 100, 368, 999})
    for (const double q : {0.5, 0.9, 0.99}) {
      if (n < samples_needed(q)) continue;
      std::vector<long double> cumulative;
      long double sum = 0;
      for (std::uint64_t k = 0; k <= n; ++k) {
        const auto trials = static_cast<long double>(n);
        const auto hits = static_cast<long double>(k);
        sum += std::exp(std::lgamma(trials + 1) - std::lgamma(hits + 1) - std::lgamma(trials - hits + 1) +
                        hits * std::log(static_cast<long double>(q)) +
                        (trials - hits) * std::log1p(-static_cast<long double>(q)));
        cumulative.push_back(sum);
      }
      const RankInterval ranks = *confidence_ranks(n, q);
      EXPECT_LE(cumulative[ranks.low - 1], 0.025L) << n << " " << q;
      EXPECT_GT(cumulative[ranks.low], 0.025L) << n << " " << q;
      EXPECT_GE(cumulative[ranks.high - 1], 0.975L) << n << " " << q;
      EXPECT_LT(cumulative[ranks.high - 2], 0.975L) << n << " " << q;
    }
  // Tables of the sign test have 40 and 61 for the median of 100.
  EXPECT_EQ(confidence_ranks(100, 0.5)->low, 40u);
  EXPECT_EQ(confidence_ranks(100, 0.5)->high, 61u);
}

// Of a thousand samples of known distributions, at least 95 % of the intervals hold the quantile; three
// deviations below are 93 %.
TEST(Percentiles, IntervalsHoldTheQuantile) {
  Random random(1);
  int held = 0;
  constexpr int kSamples = 1000;
  for (int sample = 0; sample < kSamples; ++sample) {
    Histogram histogram;
    for (int i = 0; i < 500; ++i) histogram.add(random.below(1000000));
    const Percentile p90 = *percentile_of(histogram, 0.9);
    EXPECT_LE(p90.low, p90.value);
    EXPECT_LE(p90.value, p90.high);
    if (p90.low <= 900000 && 900000 <= p90.high) ++held;
  }
  EXPECT_GE(held, 930);
  EXPECT_LT(held, kSamples);  // an interval that always holds it is too wide
}

TEST(Percentiles, OfALargeSampleTakeNoLongTime) {
  const RankInterval ranks = *confidence_ranks(100000000, 0.5);
  // The normal approximation: 1.96 times half the root of n on both sides.
  EXPECT_NEAR(static_cast<double>(50000000 - ranks.low), 9800, 3);
  EXPECT_NEAR(static_cast<double>(ranks.high - 50000000), 9800, 3);
}

}  // namespace
}  // namespace heddle
