#include "models/host/process/host_cores.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(HostCores, AreGivenInTheOrderOfAskingThenOfNumbers) {
  HostCores cores(2, 0);
  cores.ask(5, 3);
  cores.ask(5, 1);
  cores.ask(4, 7);
  cores.settle(6);
  EXPECT_TRUE(cores.is_running(7) && cores.is_running(1));
  EXPECT_FALSE(cores.is_running(3));
  cores.release(8, 7);
  cores.settle(9);
  EXPECT_TRUE(cores.is_running(3));
  EXPECT_FALSE(cores.is_running(7));
}

TEST(HostCores, TakeNoNoticeOfWhatHappensAtThePresentTime) {
  HostCores cores(1, 0);
  cores.ask(10, 0);
  cores.settle(10);
  EXPECT_FALSE(cores.is_running(0));
  cores.settle(11);
  EXPECT_TRUE(cores.is_running(0));
  cores.ask(12, 1);
  cores.release(12, 0);
  cores.settle(12);
  EXPECT_TRUE(cores.is_running(0));
  EXPECT_FALSE(cores.is_wanted());
}

TEST(HostCores, AProcessBeyondItsSliceLosesItsCoreToTheOneThatWaits) {
  HostCores cores(1, 100);
  cores.ask(0, 0);
  cores.settle(1);
  EXPECT_EQ(cores.slice_end(0), 101U);
  cores.settle(150);
  EXPECT_TRUE(cores.is_running(0));  // nobody waits
  cores.ask(150, 1);
  cores.settle(151);
  EXPECT_FALSE(cores.is_running(0));
  EXPECT_EQ(cores.slice_end(1), 251U);
  cores.ask(151, 0);
  cores.settle(152);
  EXPECT_TRUE(cores.is_wanted());
  EXPECT_EQ(cores.next_slice_end(), 251U);
  cores.settle(251);
  EXPECT_TRUE(cores.is_running(0));
}

TEST(HostCores, AProcessThatLeavesAtTheTimeAtWhichItLosesItsCoreLeavesItOnce) {
  HostCores cores(1, 100);
  cores.ask(0, 0);
  cores.settle(1);
  cores.ask(50, 1);
  cores.settle(51);
  cores.release(101, 0);
  cores.settle(101);
  EXPECT_TRUE(cores.is_running(1));
  cores.ask(101, 2);
  cores.settle(102);
  EXPECT_FALSE(cores.is_running(2));
}

TEST(HostCores, AfterAResetAllAreFreeAndNobodyWaits) {
  HostCores cores(1, 0);
  cores.ask(1, 0);
  cores.ask(2, 1);
  cores.settle(3);
  cores.reset();
  EXPECT_FALSE(cores.is_wanted());
  cores.ask(0, 4);
  cores.settle(1);
  EXPECT_TRUE(cores.is_running(4));
}

TEST(HostCores, OfNumberZeroAreNotShared) {
  EXPECT_FALSE(HostCores(0, 0).are_shared());
  EXPECT_TRUE(HostCores(1, 0).are_shared());
}

}  // namespace
}  // namespace heddle
