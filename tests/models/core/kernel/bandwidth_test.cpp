// The port of an SM and the time of a wave: closed forms.

#include "models/core/kernel/bandwidth.h"

#include <gtest/gtest.h>

#include "models/core/base/random.h"
#include "models/core/time/progress.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

std::vector<double> rates(const std::vector<std::uint64_t>& loads) {
  std::vector<PortUser> users;
  for (const std::uint64_t load : loads) users.push_back({load, 0});
  divide_port(users);
  std::vector<double> result;
  for (const PortUser& user : users) result.push_back(static_cast<double>(user.rate) / kFullRate);
  return result;
}

TEST(Port, SlowsNothingDownThatFits) {
  EXPECT_EQ(rates({kFullPort}), (std::vector<double>{1}));
  EXPECT_EQ(rates({kFullPort / 2, kFullPort / 2, 0}), (std::vector<double>{1, 1, 1}));
}

TEST(Port, GivesTheRestToThoseWhoAskForMore) {
  const std::vector<double> some = rates({kFullPort / 5, 2 * kFullPort, kFullPort, 0});
  EXPECT_EQ(some[0], 1);                // a fifth is less than a third
  EXPECT_NEAR(some[1], 0.4 / 2, 1e-4);  // the other two have two fifths each
  EXPECT_NEAR(some[2], 0.4, 1e-4);
  EXPECT_EQ(some[3], 1);
}

TEST(Port, RandomUsersDrawAllThatThereIsAndNoMore) {
  for (std::uint64_t seed = 0; seed < cases(300); ++seed) {
    Random random(seed);
    std::vector<std::uint64_t> loads(1 + random.below(8));
    double asked = 0;
    for (std::uint64_t& load : loads) {
      load = random.below(4) == 0 ? 0 : random.below(2 * kFullPort);
      asked += static_cast<double>(load);
    }
    const std::vector<double> got = rates(loads);
    double drawn = 0;
    for (std::size_t i = 0; i < loads.size(); ++i) drawn += got[i] * static_cast<double>(loads[i]);
    EXPECT_LE(drawn, kFullPort) << seed;
    EXPECT_GT(drawn, std::min<double>(asked, kFullPort) - 16) << seed;
  }
}

TEST(Wave, TakesTheLongestOfItsBlocksTheirPortsAndItsBytes) {
  BandwidthSpec bandwidth;
  bandwidth.kernels = true;
  bandwidth.dram_bytes_per_second = 100e9;  // 100 bytes a cycle
  bandwidth.l2_bytes_per_second = 400e9;
  BlockTraffic block{1000, 100, 200, 0};  // 3,200 bytes of DRAM and 6,400 of L2
  EXPECT_DOUBLE_EQ(wave_cycles(block, 10, 4, bandwidth, 1e9), 1000);
  EXPECT_DOUBLE_EQ(wave_cycles(block, 100, 4, bandwidth, 1e9), 3200);
  block.l2_sectors = 1000;
  EXPECT_DOUBLE_EQ(wave_cycles(block, 100, 4, bandwidth, 1e9), 8000);
  block.port_load = kFullPort;
  EXPECT_DOUBLE_EQ(wave_cycles(block, 10, 4, bandwidth, 1e9), 3000);  // three blocks on an SM
  bandwidth.kernels = false;
  EXPECT_DOUBLE_EQ(wave_cycles(block, 100, 4, bandwidth, 1e9), 1000);
}

}  // namespace
}  // namespace heddle
