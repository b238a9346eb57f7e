// Samples are the growth of an SM's totals, kernel by kernel, and add up to the totals.

#include "models/sm/sm_sampler.h"

#include <gtest/gtest.h>

#include <map>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

KernelCounts counts(std::uint64_t blocks, std::uint64_t instructions) {
  KernelCounts counts;
  counts.blocks = blocks;
  counts.warp_instructions = instructions;
  return counts;
}

TEST(KernelCounts, EachFieldIsAddedSubtractedAndComparedOnItsOwn) {
  for (const KernelCounts::Field& field : KernelCounts::fields()) {
    KernelCounts one;
    one.*field.value = 5;
    EXPECT_TRUE(one != KernelCounts{}) << field.name;
    KernelCounts sum = one;
    sum += one;
    for (const KernelCounts::Field& other : KernelCounts::fields())
      EXPECT_EQ(sum.*other.value, other.value == field.value ? 10u : 0u) << other.name;
    sum -= one;
    EXPECT_TRUE(sum == one) << field.name;
  }
}

TEST(SmSampler, ASampleIsWhatTheTotalsGrewBy) {
  SmSampler sampler(2);
  sampler.set_kernel(KsrId{1}, KernelId{40}, {});
  sampler.begin(Cycle{100}, {10, 90});
  sampler.add(KsrId{0}, 0, {});
  sampler.add(KsrId{1}, 3, counts(2, 50));
  EXPECT_EQ(sampler.sample()->from.value, 0u);
  EXPECT_EQ(sampler.sample()->cycles(), 100u);
  ASSERT_EQ(sampler.sample()->kernels.size(), 1u);
  sampler.begin(Cycle{130}, {25, 105});
  sampler.add(KsrId{0}, 0, {});
  sampler.add(KsrId{1}, 4, counts(5, 71));
  const SmSample sample = *sampler.sample();
  EXPECT_EQ(sample.from.value, 100u);
  EXPECT_EQ(sample.until.value, 130u);
  EXPECT_EQ(sample.cycles(Bucket::kActive), 15u);
  EXPECT_EQ(sample.cycles(Bucket::kPipelineMemory), 15u);
  ASSERT_EQ(sample.kernels.size(), 1u);
  EXPECT_EQ(sample.kernels[0].kernel, KernelId{40});
  EXPECT_EQ(sample.kernels[0].ksr, KsrId{1});
  EXPECT_EQ(sample.kernels[0].resident, 4u);
  EXPECT_TRUE(sample.kernels[0].counts == counts(3, 21));
  EXPECT_EQ(sample.find(KernelId{40}), sample.kernels.data());
  EXPECT_EQ(sample.find(KernelId{41}), nullptr);
}

TEST(SmSampler, AKernelThatOnlyWaitsHasAnEntryAndOneThatIsGoneHasNone) {
  SmSampler sampler(1);
  sampler.set_kernel(KsrId{0}, KernelId{1}, {});
  for (const std::uint32_t resident : {2u, 2u, 0u}) {
    sampler.begin(Cycle{10}, {});
    sampler.add(KsrId{0}, resident, counts(0, 8));
    ASSERT_EQ(sampler.sample()->kernels.size(), resident > 0 ? 1u : 0u);
  }
}

TEST(SmSampler, KernelsThatFollowInAKsrWithinAWindowAreKeptApart) {
  SmSampler sampler(1);
  sampler.set_kernel(KsrId{0}, KernelId{1}, {});
  sampler.begin(Cycle{0}, {});
  sampler.add(KsrId{0}, 0, {});
  // The same kernel is set up again after a drain.
  sampler.set_kernel(KsrId{0}, KernelId{1}, counts(1, 10));
  sampler.set_kernel(KsrId{0}, KernelId{2}, counts(3, 30));
  sampler.set_kernel(KsrId{0}, KernelId{3}, counts(3, 30));  // kernel 2 ran no block here
  sampler.set_kernel(KsrId{0}, KernelId{4}, counts(4, 35));
  sampler.begin(Cycle{50}, {});
  sampler.add(KsrId{0}, 1, counts(4, 36));
  const SmSample sample = *sampler.sample();
  ASSERT_EQ(sample.kernels.size(), 3u);
  EXPECT_TRUE(sample.find(KernelId{1})->counts == counts(3, 30));
  EXPECT_TRUE(sample.find(KernelId{3})->counts == counts(1, 5));
  EXPECT_TRUE(sample.find(KernelId{4})->counts == counts(0, 1));
  EXPECT_EQ(sample.find(KernelId{1})->resident, 0u);
  EXPECT_EQ(sample.find(KernelId{4})->resident, 1u);
}

TEST(SmSampler, SamplesAddUpToTheTotalsOfEachKernelInAnyOrderOfEvents) {
  for (std::uint64_t seed = 1; seed <= cases(500); ++seed) {
    Random random(seed);
    constexpr std::uint32_t kKsrs = 3;
    SmSampler sampler(kKsrs);
    std::vector<KernelCounts> totals(kKsrs);
    std::vector<KernelId> of(kKsrs);
    std::map<KernelId, KernelCounts> expected, sampled;
    BucketCycles buckets{}, sampled_buckets{};
    std::uint64_t kernels = 0, now = 0;
    const auto take = [&] {
      sampler.begin(Cycle{now}, {buckets, 0, 0});
      for (std::uint32_t i = 0; i < kKsrs; ++i) sampler.add(KsrId{i}, 0, totals[i]);
      for (const KernelSample& kernel : sampler.sample()->kernels) sampled[kernel.kernel] += kernel.counts;
      for (std::size_t b = 0; b < kBuckets; ++b) sampled_buckets[b] += sampler.sample()->totals.buckets[b];
    };
    take();
    for (std::uint64_t events = 60; events > 0; --events, now += random.below(9)) {
      const auto ksr = static_cast<std::uint32_t>(random.below(kKsrs));
      switch (random.below(4)) {
        case 0:
          of[ksr] = KernelId{kernels++};
          sampler.set_kernel(KsrId{ksr}, of[ksr], totals[ksr]);
          break;
        case 1:
          take();
          break;
        default:
          buckets[random.below(kBuckets)] += random.below(100);
          if (!of[ksr].valid()) break;
          const auto& field = KernelCounts::fields()[random.below(KernelCounts::kFields)];
          const std::uint64_t amount = 1 + random.below(1000);
          totals[ksr].*field.value += amount;
          expected[of[ksr]].*field.value += amount;
      }
    }
    take();
    ASSERT_TRUE(sampled == expected) << "seed " << seed;
    ASSERT_EQ(sampled_buckets, buckets) << "seed " << seed;
  }
}

TEST(SmSampler, ASampleStaysAsItIsWhileAMessageHoldsIt) {
  SmSampler sampler(1);
  sampler.set_kernel(KsrId{0}, KernelId{5}, {});
  std::vector<std::shared_ptr<const SmSample>> held;
  for (std::uint64_t i = 1; i <= 5; ++i) {
    sampler.begin(Cycle{100 * i}, {});
    sampler.add(KsrId{0}, 1, counts(i, 0));
    held.push_back(sampler.sample());
  }
  for (std::uint64_t i = 1; i <= 5; ++i) {
    EXPECT_EQ(held[i - 1]->from, Cycle{100 * (i - 1)});
    EXPECT_EQ(held[i - 1]->until, Cycle{100 * i});
    ASSERT_EQ(held[i - 1]->kernels.size(), 1u);
    EXPECT_EQ(held[i - 1]->kernels[0].counts.blocks, 1u);
  }
}

}  // namespace
}  // namespace heddle
