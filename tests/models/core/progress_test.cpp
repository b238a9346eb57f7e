// Progress at a rate, against sums of single cycles.

#include "models/core/time/progress.h"

#include <gtest/gtest.h>

#include "models/core/base/random.h"

namespace heddle {
namespace {

TEST(Progress, IsTheSameInOneStepAndInMany) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const auto rate = static_cast<std::uint32_t>(1 + random.below(kFullRate));
    const std::uint64_t cycles = random.below(3000);
    Progress sum;
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) sum = sum + progress_in(1, rate);
    EXPECT_EQ(sum, progress_in(cycles, rate));
    EXPECT_EQ(sum.whole, cycles * rate / kFullRate);
    EXPECT_EQ(sum.part, cycles * rate % kFullRate);
  }
}

TEST(Progress, TheCyclesForItAreTheFewestThatReachIt) {
  Random random(2);
  for (int i = 0; i < 5000; ++i) {
    const auto rate = static_cast<std::uint32_t>(1 + random.below(kFullRate));
    const Progress left{random.below(std::uint64_t{1} << random.below(41)),
                        static_cast<std::uint32_t>(random.below(kFullRate))};
    const std::uint64_t cycles = cycles_for(left, rate);
    EXPECT_FALSE(progress_in(cycles, rate) < left);
    if (cycles > 0) {
      EXPECT_TRUE(progress_in(cycles - 1, rate) < left);
    }
  }
}

TEST(Progress, FullRateIsExactAndWholeUpToTheLongestBlocks) {
  const std::uint64_t longest = std::uint64_t{1} << 48;
  EXPECT_EQ(progress_in(longest, kFullRate), (Progress{longest, 0}));
  EXPECT_EQ(cycles_for({longest, 0}, kFullRate), longest);
  EXPECT_EQ(cycles_for({longest, 1}, kFullRate), longest + 1);
  EXPECT_EQ(cycles_for({longest, 0}, kFullRate / 2), 2 * longest);
  EXPECT_EQ(cycles_for({longest, 0}, 1), ~std::uint64_t{0});  // 2^68 cycles
}

TEST(Progress, DifferencesBorrow) {
  EXPECT_EQ((Progress{5, 3} - Progress{2, 7}), (Progress{2, kFullRate - 4}));
  EXPECT_EQ((Progress{2, 7} + Progress{2, kFullRate - 4}), (Progress{5, 3}));
  EXPECT_TRUE((Progress{2, 7}) < (Progress{2, 8}));
}

}  // namespace
}  // namespace heddle
