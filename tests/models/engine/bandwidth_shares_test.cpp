// Shares of bandwidth: closed forms of max-min fairness, and properties over random users.

#include "models/engine/bandwidth_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/core/base/random.h"
#include "models/core/time/progress.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

constexpr double kCoreHz = 1e9;
constexpr std::uint32_t kSms = 8;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// A GPU of 100 bytes of DRAM per core cycle, 400 of L2, and blocks of 1000 cycles.
struct Rig {
  explicit Rig(std::uint32_t ksrs = 4, double l2 = 400e9)
      : shares({100e9, l2, true}, kCoreHz, ksrs, kSms, 2) {}

  // Loads a kernel that asks for these bytes per cycle with `blocks` blocks, one for each of `sms` SMs in
  // turn.
  void kernel(std::uint32_t ksr, std::uint64_t blocks, double dram, double l2, std::uint16_t port_load = 0,
              std::uint32_t sms = kSms) {
    KernelLaunch launch;
    launch.block_cycles = 32'000;
    const auto sectors = [&](double bytes) {
      return static_cast<std::uint32_t>(std::llround(bytes / static_cast<double>(blocks) * 1000));
    };
    launch.dram_sectors = sectors(dram);
    launch.l2_sectors = sectors(l2);
    launch.port_load = port_load;
    shares.load(KsrId{ksr}, launch);
    for (std::uint32_t i = 0; i < blocks; ++i) shares.add_block(SmId{i % sms}, KsrId{ksr});
  }
  double rate(std::uint32_t ksr) {
    shares.update();
    return static_cast<double>(shares.table()->rates[ksr]) / kFullRate;
  }
  double state_bytes() {
    shares.update();
    return static_cast<double>(shares.table()->state_bytes) / kFullRate;
  }
  double copy_rate(std::uint32_t copy) {
    shares.update();
    return static_cast<double>(shares.copy_rate(copy)) / kFullRate;
  }

  BandwidthShares shares;
};

constexpr double kClose = 1e-5;

TEST(FairShare, GivesTheRestToThoseWhoAskForMore) {
  std::vector<std::uint64_t> demands{50, 10, 90};
  EXPECT_EQ(fair_share(100, demands, 0), 45u);  // 10, 45 and 45
  EXPECT_EQ(fair_share(100, demands, 2), 22u);  // 10, and four times 22
  EXPECT_EQ(fair_share(150, demands, 0), kAll);
  EXPECT_EQ(fair_share(149, demands, 0), 89u);
  demands.clear();
  EXPECT_EQ(fair_share(100, demands, 3), 33u);
}

TEST(BandwidthShares, AKernelAloneGetsOnAtTheBandwidthOverWhatItAsksFor) {
  for (const double dram : {0.0, 30.0, 100.0, 250.0, 1e6}) {
    Rig rig;
    rig.kernel(0, 10, dram, 4 * dram);
    EXPECT_NEAR(rig.rate(0), dram <= 100 ? 1 : 100 / dram, kClose) << dram;
  }
  for (const double l2 : {399.0, 1600.0}) {
    Rig rig;
    rig.kernel(0, 10, 10, l2);
    EXPECT_NEAR(rig.rate(0), std::min(1.0, 400 / l2), kClose) << l2;
  }
}

// A block may ask for so much that the sums of all blocks need more than 64 bits.
TEST(BandwidthShares, AKernelThatAsksForMoreThanAnyMachineHasGetsOnAtTheLowestRate) {
  Rig rig;
  KernelLaunch launch;
  launch.block_cycles = 1;
  launch.dram_sectors = launch.l2_sectors = 0xffffffff;
  rig.shares.load(KsrId{0}, launch);
  for (std::uint32_t i = 0; i < 4096; ++i) rig.shares.add_block(SmId{i % kSms}, KsrId{0});
  EXPECT_EQ(rig.rate(0), 1.0 / kFullRate);
  rig.kernel(1, 10, 100, 0);
  EXPECT_NEAR(rig.rate(1), 0.5, 0.01);
}

TEST(BandwidthShares, WhatThePortOfAnSmDoesNotLetThroughIsNotAskedFor) {
  constexpr std::uint16_t kHalfAnSm = kFullPort / 2;
  Rig rig;
  rig.kernel(0, 4, 160, 0, kHalfAnSm, 1);  // four blocks on one SM, of which two draw all that it can: 80
  rig.kernel(1, 8, 20, 0, 0);              // so 20 are left
  EXPECT_NEAR(rig.rate(0), 1.0, 1e-4);
  EXPECT_EQ(rig.rate(1), 1.0);
  // Of two blocks that ask for 40 each, one lies on the same SM, whose port it shares: 40 are left to the
  // four.
  rig.kernel(2, 2, 80, 0, kHalfAnSm, 2);
  EXPECT_NEAR(rig.rate(0), 1.0, 1e-4);
  EXPECT_NEAR(rig.rate(2), 0.5, 1e-4);
}

TEST(BandwidthShares, KernelsOnOneSmDivideItsPort) {
  constexpr std::uint16_t kAnSm = kFullPort;
  Rig rig;
  rig.kernel(0, 1, 90, 0, kAnSm, 1);
  rig.kernel(1, 1, 90, 0, kAnSm, 1);
  rig.kernel(2, 10, 10, 0);  // the SM lets 45 of each through
  EXPECT_NEAR(rig.rate(0), 1.0, kClose);
  EXPECT_EQ(rig.rate(2), 1.0);
  rig.shares.remove_block(SmId{0}, KsrId{1});
  EXPECT_NEAR(rig.rate(0), 1.0, kClose);  // now all of the SM's 90, and 10 beside
  EXPECT_EQ(rig.rate(2), 1.0);
}

TEST(BandwidthShares, TwoKernelsThatAskForAllGetHalf) {
  Rig rig;
  rig.kernel(0, 10, 100, 0);
  rig.kernel(1, 20, 100, 0);
  EXPECT_EQ(rig.rate(0), 0.5);
  EXPECT_EQ(rig.rate(1), 0.5);
}

TEST(BandwidthShares, OneThatAsksForLittleGetsItAndLeavesTheRest) {
  Rig rig;
  rig.kernel(0, 10, 30, 0);
  rig.kernel(1, 10, 100, 0);
  EXPECT_EQ(rig.rate(0), 1.0);
  EXPECT_NEAR(rig.rate(1), 0.7, kClose);
}

TEST(BandwidthShares, AKernelWithoutBytesIsNotSlowed) {
  Rig rig;
  rig.kernel(0, 10, 100, 400);
  rig.kernel(1, 10, 100, 400);
  rig.kernel(2, 10, 0, 0);
  EXPECT_EQ(rig.rate(2), 1.0);
  EXPECT_EQ(rig.rate(0), 0.5);
}

TEST(BandwidthShares, TheLowerShareOfL2AndDramCounts) {
  Rig rig;
  rig.kernel(0, 10, 100, 400);  // 0.5 of L2
  rig.kernel(1, 10, 20, 400);   // 0.5 of L2, and 10 of DRAM is left to it
  EXPECT_EQ(rig.rate(0), 0.5);
  EXPECT_EQ(rig.rate(1), 0.5);
  rig.kernel(2, 10, 100, 0);  // beside 50 and 10: 40
  EXPECT_NEAR(rig.rate(2), 0.45, kClose);
  EXPECT_NEAR(rig.rate(0), 0.45, kClose);
  EXPECT_EQ(rig.rate(1), 0.5);
}

TEST(BandwidthShares, WithoutALimitOfL2DramAloneCounts) {
  Rig rig(4, 0);
  rig.kernel(0, 10, 10, 4000);
  rig.kernel(1, 10, 10, 4000);
  EXPECT_EQ(rig.rate(0), 1.0);
  EXPECT_EQ(rig.rate(1), 1.0);
}

TEST(BandwidthShares, SmsThatMoveStatesAndCopiesTakePart) {
  Rig rig;
  rig.shares.begin_transfer(SmId{3});
  rig.shares.begin_transfer(SmId{3});
  EXPECT_NEAR(rig.state_bytes(), 100, kClose);
  rig.shares.set_copy(0, 8'000'000'000);  // 8 bytes per cycle
  EXPECT_NEAR(rig.state_bytes(), 92, kClose);
  EXPECT_EQ(rig.copy_rate(0), 1.0);
  rig.shares.set_copy(1, 100'000'000'000);
  EXPECT_NEAR(rig.state_bytes(), 46, kClose);
  EXPECT_NEAR(rig.copy_rate(1), 0.46, kClose);
  rig.shares.begin_transfer(SmId{4});
  rig.kernel(0, 10, 100, 0);
  EXPECT_NEAR(rig.state_bytes(), 23, kClose);  // two SMs, a copy and a kernel
  EXPECT_NEAR(rig.rate(0), 0.23, kClose);
  EXPECT_EQ(rig.copy_rate(0), 1.0);
  rig.shares.end_transfer(SmId{3});
  EXPECT_NEAR(rig.state_bytes(), 23, kClose);  // the SM has another one
  rig.shares.end_transfer(SmId{3});
  rig.shares.end_transfer(SmId{4});
  rig.shares.set_copy(1, 0);
  EXPECT_NEAR(rig.rate(0), 0.92, kClose);
}

TEST(BandwidthShares, ABlockThatTakesThePlaceOfAnotherChangesNoVersion) {
  Rig rig;
  rig.kernel(0, 10, 100, 0);
  rig.kernel(1, 10, 100, 0);
  rig.shares.update();
  const std::uint64_t version = rig.shares.version();
  rig.shares.remove_block(SmId{0}, KsrId{0});
  rig.shares.add_block(SmId{0}, KsrId{0});
  rig.shares.update();
  EXPECT_EQ(rig.shares.version(), version);
  rig.shares.remove_block(SmId{0}, KsrId{0});
  rig.shares.update();
  EXPECT_EQ(rig.shares.version(), version + 1);
}

TEST(BandwidthShares, TheNextKernelOfAKsrStartsWithoutTheRateOfTheOneBefore) {
  Rig rig;
  rig.kernel(0, 10, 100, 0);
  rig.kernel(1, 10, 100, 0);
  EXPECT_EQ(rig.rate(1), 0.5);
  for (std::uint32_t i = 0; i < 10; ++i) rig.shares.remove_block(SmId{i % kSms}, KsrId{1});
  rig.kernel(1, 10, 0, 0);
  EXPECT_EQ(rig.rate(1), 1.0);
  EXPECT_EQ(rig.rate(0), 1.0);
}

TEST(BandwidthShares, IsIdleWithoutBlocksAndStates) {
  Rig rig;
  EXPECT_TRUE(rig.shares.idle());
  rig.kernel(0, 1, 100, 0);
  EXPECT_FALSE(rig.shares.idle());
  rig.shares.remove_block(SmId{0}, KsrId{0});
  EXPECT_TRUE(rig.shares.idle());
  rig.shares.begin_transfer(SmId{7});
  EXPECT_FALSE(rig.shares.idle());
  rig.shares.end_transfer(SmId{7});
  EXPECT_TRUE(rig.shares.idle());
}

TEST(BandwidthShares, AfterAResetAllIsAsInTheBeginning) {
  Rig rig;
  rig.kernel(0, 10, 100, 0);
  rig.kernel(1, 10, 100, 0);
  rig.shares.begin_transfer(SmId{0});
  EXPECT_LT(rig.rate(0), 0.5);
  rig.shares.reset();
  EXPECT_EQ(rig.shares.version(), 1u);
  EXPECT_EQ(rig.rate(0), 1.0);
  EXPECT_NEAR(rig.state_bytes(), 100, kClose);
}

// Dynamic power goes with the cube of the clock.
TEST(BandwidthShares, ProductsBeyondThePowerLimitRunAtTheCubeRootOfTheirNumber) {
  BandwidthSpec spec{100e9, 400e9, true};
  spec.boost_sms = 2;
  BandwidthShares shares(spec, kCoreHz, 4, kSms, 2);
  const auto load = [&](std::uint32_t ksr, std::uint16_t products, std::uint32_t dram_sectors) {
    KernelLaunch launch;
    launch.block_cycles = 32'000;
    launch.product_load = products;
    launch.dram_sectors = dram_sectors;
    shares.load(KsrId{ksr}, launch);
  };
  const auto rate = [&](std::uint32_t ksr) {
    shares.update();
    return static_cast<double>(shares.table()->rates[ksr]) / kFullRate;
  };
  load(0, kFullProducts, 0);
  load(1, 0, 1000);  // a byte a cycle and block
  for (std::uint32_t sm = 0; sm < 2; ++sm) shares.add_block(SmId{sm}, KsrId{0});
  shares.add_block(SmId{7}, KsrId{1});
  EXPECT_EQ(rate(0), 1);
  for (std::uint32_t sm = 2; sm < 6; ++sm) shares.add_block(SmId{sm}, KsrId{0});
  EXPECT_NEAR(rate(0), std::cbrt(2.0 / 6), kClose);
  EXPECT_NEAR(shares.product_clock() / double{kFullRate}, std::cbrt(2.0 / 6), kClose);
  EXPECT_EQ(rate(1), 1);  // it computes no products
  for (std::uint32_t sm = 0; sm < 4; ++sm) shares.remove_block(SmId{sm}, KsrId{0});
  EXPECT_EQ(rate(0), 1);
}

// SMs that wait for DRAM half of the time take half of the power.
TEST(BandwidthShares, SmsThatWaitForBandwidthCountAsFarAsTheyGetOn) {
  BandwidthSpec spec{100e9, 0, true};
  spec.boost_sms = 4;
  BandwidthShares shares(spec, kCoreHz, 1, kSms, 2);
  KernelLaunch launch;
  launch.block_cycles = 32'000;
  launch.product_load = kFullProducts;
  launch.dram_sectors = 25'000;  // 25 bytes a cycle: eight blocks ask for 200
  shares.load(KsrId{0}, launch);
  for (std::uint32_t sm = 0; sm < kSms; ++sm) shares.add_block(SmId{sm}, KsrId{0});
  shares.update();
  EXPECT_NEAR(shares.table()->rates[0] / double{kFullRate}, 0.5, kClose);
  EXPECT_EQ(shares.product_clock(), kFullRate);
}

// Over random users: the bytes of all come to no more than the bandwidth, a user that gets less than it asks
// for gets as much as any other user, and the bandwidth is then used up. The order of the inputs is without
// effect.
TEST(BandwidthShares, RandomUsersShareAllThatThereIsAndNoMore) {
  for (std::uint64_t seed = 0; seed < cases(300); ++seed) {
    Random random(seed);
    constexpr std::uint32_t kKsrs = 64;
    const double l2 = random.below(2) == 0 ? 0 : 400e9;
    Rig rig(kKsrs, l2);
    Rig other(kKsrs, l2);
    std::vector<double> dram(kKsrs);
    std::vector<double> of_l2(kKsrs);
    std::vector<std::uint64_t> blocks(kKsrs);
    const std::uint32_t kernels = 1 + static_cast<std::uint32_t>(random.below(kKsrs));
    for (std::uint32_t i = 0; i < kernels; ++i) {
      dram[i] = random.below(4) == 0 ? 0 : static_cast<double>(random.below(60));
      of_l2[i] = dram[i] + static_cast<double>(random.below(200));
      blocks[i] = std::uint64_t{1} << random.below(4);
    }
    for (std::uint32_t i = 0; i < kernels; ++i) rig.kernel(i, blocks[i], dram[i], of_l2[i]);
    for (std::uint32_t i = kernels; i-- > 0;) other.kernel(i, blocks[i], dram[i], of_l2[i]);
    const std::uint64_t sms = random.below(4);
    for (std::uint64_t i = 0; i < sms; ++i) {
      rig.shares.begin_transfer(SmId{static_cast<std::uint32_t>(i)});
      other.shares.begin_transfer(SmId{static_cast<std::uint32_t>(sms - 1 - i)});
    }
    const double copy = static_cast<double>(random.below(3)) * 10;
    for (Rig* each : {&rig, &other}) each->shares.set_copy(1, static_cast<std::uint64_t>(copy * 1e9));

    double sum = copy * rig.copy_rate(1) + (sms > 0 ? static_cast<double>(sms) * rig.state_bytes() : 0);
    double sum_of_l2 = 0;
    double least_slowed = 1e9;
    double most = sms > 0 ? rig.state_bytes() : 0;
    for (std::uint32_t i = 0; i < kernels; ++i) {
      const double rate = rig.rate(i);
      EXPECT_EQ(rate, other.rate(i)) << seed;
      sum += rate * dram[i];
      sum_of_l2 += rate * of_l2[i];
      most = std::max(most, rate * dram[i]);
      if (rate < 1 && dram[i] > 0 && l2 == 0) least_slowed = std::min(least_slowed, rate * dram[i]);
      EXPECT_GT(rate, 0.0);
    }
    EXPECT_LE(sum, 100 * (1 + 1e-9)) << seed;
    if (l2 > 0) {
      EXPECT_LE(sum_of_l2, 400 * (1 + 1e-9)) << seed;
    }
    if (least_slowed < 1e9) {
      EXPECT_NEAR(least_slowed, most, 0.1) << seed;
      EXPECT_GT(sum, 99) << seed;
    }
    if (sms > 0) {
      EXPECT_GT(sum, 99) << seed;
    }
  }
}

}  // namespace
}  // namespace heddle
