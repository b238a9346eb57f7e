// Histograms: numbers in buckets of 1/1024 of their value, and quantiles of them.

#include "models/stats/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::vector<Histogram::Bucket> buckets_of(const Histogram& histogram) {
  std::vector<Histogram::Bucket> buckets;
  histogram.visit([&buckets](const Histogram::Bucket& bucket) { buckets.push_back(bucket); });
  return buckets;
}

TEST(Histogram, AnEmptyOneHasNoNumberAndNoBucket) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.sum(), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.quantile(0.5), 0u);
  EXPECT_TRUE(buckets_of(histogram).empty());
}

TEST(Histogram, NumbersBelow2048AreExact) {
  Histogram histogram;
  for (std::uint64_t value = 0; value < 2048; ++value) histogram.add(value);
  for (std::uint64_t rank = 1; rank <= 2048; ++rank)
    ASSERT_EQ(histogram.quantile(static_cast<double>(rank) / 2048), rank - 1);
  EXPECT_EQ(buckets_of(histogram).size(), 2048u);
  EXPECT_EQ(histogram.count_until(1023), 1024u);
}

TEST(Histogram, TheNearestRankIsThatOfTheWholeProduct) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.add(value);
  for (std::uint64_t percent = 1; percent <= 100; ++percent)
    EXPECT_EQ(histogram.quantile(static_cast<double>(percent) / 100), percent) << percent;
  EXPECT_EQ(histogram.quantile(0), 1u);
  EXPECT_EQ(histogram.quantile(0.501), 51u);
  EXPECT_EQ(histogram.quantile(0.999), 100u);
}

TEST(Histogram, TheFirstWideBucketHasTwoNumbers) {
  Histogram histogram;
  histogram.add(2048);
  histogram.add(2049);
  histogram.add(2050);
  const auto buckets = buckets_of(histogram);
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[0].low, 2048u);
  EXPECT_EQ(buckets[0].high, 2049u);
  EXPECT_EQ(buckets[0].count, 2u);
  EXPECT_EQ(buckets[1].low, 2050u);
  EXPECT_EQ(histogram.quantile(0.1), 2049u);
  EXPECT_EQ(histogram.quantile(1), 2050u);  // and not 2051, which is above the largest number
}

TEST(Histogram, EveryNumberHasABucketThatIsAtMostA1024thAsWideAsItsLowerEnd) {
  Random random(7);
  std::vector<std::uint64_t> values{0, 1, 1023, 1024, 2047, 2048, kMost - 1, kMost};
  for (std::uint64_t i = 0; i < cases(2000); ++i) values.push_back(random.next() >> random.below(64));
  for (const std::uint64_t value : values) {
    Histogram histogram;
    histogram.add(value);
    const auto buckets = buckets_of(histogram);
    ASSERT_EQ(buckets.size(), 1u);
    ASSERT_LE(buckets[0].low, value);
    ASSERT_GE(buckets[0].high, value);
    ASSERT_LE(buckets[0].high - buckets[0].low, buckets[0].low / 1024);
    ASSERT_EQ(histogram.quantile(0.5), value);
  }
}

TEST(Histogram, AQuantileIsNeverBelowTheExactOneAndAtMostA1024thAboveIt) {
  Random random(11);
  for (std::uint64_t round = 0; round < cases(20); ++round) {
    Histogram histogram;
    std::vector<std::uint64_t> values(1 + random.below(3000));
    for (std::uint64_t& value : values) histogram.add(value = random.next() >> (8 + random.below(50)));
    std::sort(values.begin(), values.end());
    EXPECT_EQ(histogram.min(), values.front());
    EXPECT_EQ(histogram.max(), values.back());
    for (const std::uint64_t thousandth : {1, 100, 500, 900, 950, 990, 999, 1000}) {
      const std::uint64_t rank = std::max<std::uint64_t>(1, (values.size() * thousandth + 999) / 1000);
      const std::uint64_t exact = values[rank - 1];
      const std::uint64_t got = histogram.quantile(static_cast<double>(thousandth) / 1000);
      ASSERT_GE(got, exact) << thousandth;
      ASSERT_LE(got, exact + exact / 1024) << thousandth;
    }
  }
}

TEST(Histogram, MergedOnesAreTheHistogramOfAllNumbers) {
  Random random(13);
  Histogram all, first, second;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t value = random.next() >> (20 + random.below(40));
    all.add(value);
    (random.below(2) == 0 ? first : second).add(value);
  }
  first.merge(second);
  EXPECT_EQ(first.count(), all.count());
  EXPECT_EQ(first.sum(), all.sum());
  EXPECT_EQ(first.min(), all.min());
  EXPECT_EQ(first.max(), all.max());
  const Histogram copy = first;
  const auto expected = buckets_of(all);
  const auto got = buckets_of(copy);
  ASSERT_EQ(got.size(), expected.size());
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].low, expected[i].low);
    ASSERT_EQ(got[i].count, expected[i].count);
    count += got[i].count;
  }
  EXPECT_EQ(count, all.count());
}

TEST(Histogram, AResetOneIsAsNew) {
  Histogram histogram;
  histogram.add(5);
  histogram.add(1000000, 3);
  EXPECT_EQ(histogram.count(), 4u);
  EXPECT_EQ(histogram.sum(), 3000005u);
  histogram.reset();
  EXPECT_TRUE(buckets_of(histogram).empty());
  histogram.add(9);
  EXPECT_EQ(histogram.min(), 9u);
  EXPECT_EQ(histogram.max(), 9u);
  EXPECT_EQ(histogram.quantile(0.5), 9u);
}

}  // namespace
}  // namespace heddle
