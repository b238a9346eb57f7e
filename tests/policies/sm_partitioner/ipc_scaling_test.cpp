#include "policies/sm_partitioner/ipc_scaling.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(IpcScaling, BandwidthPerMissIsWhatChanges) {
  EXPECT_DOUBLE_EQ(bandwidth_change({20, 50}, {30, 50}), 0.5);
  EXPECT_DOUBLE_EQ(bandwidth_change({20, 50}, {20, 40}), 0.25);
  EXPECT_DOUBLE_EQ(bandwidth_change({20, 50}, {10, 100}), -0.75);
  EXPECT_DOUBLE_EQ(bandwidth_change({20, 50}, {20, 50}), 0);
}

TEST(IpcScaling, WithSteadyMissesBandwidthGoesWithTheBlocks) {
  EXPECT_DOUBLE_EQ(bandwidth_change(BandwidthReading::kPrinted, 1, 4.5), 1 / 4.5 - 1);
  EXPECT_DOUBLE_EQ(bandwidth_change(BandwidthReading::kPrinted, 8, 4), 1);
  EXPECT_DOUBLE_EQ(bandwidth_change(BandwidthReading::kPrinted, 3, 4), -0.25);
  EXPECT_DOUBLE_EQ(bandwidth_change(BandwidthReading::kPrinted, 4, 4), 0);
}

TEST(IpcScaling, TheRatioMayBeReadTheOtherWayRoundOrNotAtAll) {
  EXPECT_DOUBLE_EQ(bandwidth_change(BandwidthReading::kInverse, 1, 4.5), 3.5);
  EXPECT_DOUBLE_EQ(bandwidth_change(BandwidthReading::kInverse, 8, 4), -0.5);
  EXPECT_DOUBLE_EQ(bandwidth_change(BandwidthReading::kNone, 8, 4), 0);
}

TEST(IpcScaling, TheShareOfMemoryStallsIsScaledAndNoMore) {
  EXPECT_DOUBLE_EQ(scaled_ipc(1.5, 0, 1), 1.5);
  EXPECT_DOUBLE_EQ(scaled_ipc(1.5, 1, 1), 3);
  EXPECT_DOUBLE_EQ(scaled_ipc(1.5, 0.5, 1), 2.25);
  EXPECT_DOUBLE_EQ(scaled_ipc(2, 0.4, -0.25), 1.8);
  EXPECT_DOUBLE_EQ(scaled_ipc(2, 1, -1), 0);
}

}  // namespace
}  // namespace heddle
