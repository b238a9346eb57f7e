#include "models/sm/timed/residence_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace heddle {
namespace {

KernelLaunch kernel(std::uint64_t cycles, std::uint32_t jitter, std::uint64_t seed = 1) {
  KernelLaunch launch;
  launch.block_cycles = cycles;
  launch.jitter_permille = jitter;
  launch.seed = seed;
  return launch;
}

TEST(Residence, WithoutJitterEveryBlockIsTheSame) {
  for (std::uint64_t block = 0; block < 100; ++block)
    EXPECT_EQ(residence_of(kernel(12345, 0, block), BlockId{block}), 12345u);
}

TEST(Residence, StaysWithinTheSpreadAndFillsIt) {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  double sum = 0;
  constexpr std::uint64_t kBlocks = 20'000;
  for (std::uint64_t block = 0; block < kBlocks; ++block) {
    const std::uint64_t cycles = residence_of(kernel(10'000, 250), BlockId{block});
    least = std::min(least, cycles);
    most = std::max(most, cycles);
    sum += static_cast<double>(cycles);
  }
  EXPECT_GE(least, 7'500u);
  EXPECT_LE(most, 12'500u);
  EXPECT_LT(least, 7'510u);
  EXPECT_GT(most, 12'490u);
  EXPECT_NEAR(sum / kBlocks, 10'000, 50);  // the standard deviation of the mean is 10
}

TEST(Residence, DependsOnSeedAndBlockAlone) {
  const KernelLaunch launch = kernel(1'000'000, 500, 77);
  KernelLaunch elsewhere = launch;
  elsewhere.kernel = KernelId{9};
  elsewhere.context = ContextId{3};
  elsewhere.tag = 4;
  std::set<std::uint64_t> different;
  for (std::uint64_t block = 0; block < 50; ++block) {
    EXPECT_EQ(residence_of(launch, BlockId{block}), residence_of(elsewhere, BlockId{block}));
    different.insert(residence_of(launch, BlockId{block}));
  }
  EXPECT_GT(different.size(), 45u);
  EXPECT_NE(residence_of(launch, BlockId{0}), residence_of(kernel(1'000'000, 500, 78), BlockId{0}));
}

TEST(Residence, IsAtLeastOneCycle) {
  for (std::uint64_t block = 0; block < 1000; ++block) {
    const std::uint64_t cycles = residence_of(kernel(1, 1000), BlockId{block});
    EXPECT_GE(cycles, 1u);
    EXPECT_LE(cycles, 2u);
  }
}

}  // namespace
}  // namespace heddle
