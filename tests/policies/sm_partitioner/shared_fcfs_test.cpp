#include <gmock/gmock.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

class SharedFcfs : public SmDriverTest {
 protected:
  Log start(std::uint32_t slots, std::uint32_t sms, const std::string& policy = "shared-fcfs") {
    return SmDriverTest::start(policy, slots, sms);
  }
};

TEST_F(SharedFcfs, KernelsIssueInTurn) {
  const Log log = start(6, 1);
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 50));
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 50));
  gpu_->launch(Cycle{0}, test_kernel(2, 2, 50));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k1 b0", "7 sm0 k2 b0", "8 sm0 k0 b1",
                                      "9 sm0 k1 b1", "10 sm0 k2 b1", "57 sm0 k0 b2"));
  EXPECT_EQ(counter("drains"), 0);
  expect_rest();
}

TEST_F(SharedFcfs, EverySmHasItsOwnTurn) {
  const Log log = start(2, 2);
  gpu_->launch(Cycle{0}, test_kernel(0, 2, 50));
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 50));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "5 sm1 k0 b1", "6 sm0 k1 b0", "6 sm1 k1 b1"));
}

TEST_F(SharedFcfs, AKernelWhoseBlockDoesNotFitIsPassedOver) {
  const Log log = start(8, 1);
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 50, 96));
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 50, 640));
  gpu_->run();
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm0 k1 b0", "7 sm0 k0 b1", "8 sm0 k0 b2", "58 sm0 k1 b1"));
}

TEST_F(SharedFcfs, ANewcomerHasTheNextTurn) {
  const Log log = start(2, 1);
  gpu_->launch(Cycle{0}, test_kernel(0, 5, 20));
  gpu_->launch(Cycle{9}, test_kernel(1, 2, 20));
  gpu_->run_until(Cycle{50});
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "27 sm0 k1 b0", "28 sm0 k0 b2",
                                      "49 sm0 k1 b1", "50 sm0 k0 b3"));
  gpu_->run();
}

// The example of Figures 2a and 2b: two small and two large blocks fill the shared memory, and the small
// blocks end. The policy decides when the third large block starts.
class Fragmentation : public SharedFcfs {
 protected:
  Cycle third_large_block(const std::string& policy) {
    Log log = start(8, 1, policy);
    KernelLaunch small = test_kernel(0, 2, 20);
    small.shape.shared_bytes = 8192;
    KernelLaunch large = test_kernel(1, 3, 200);
    large.shape.shared_bytes = 16384;
    gpu_->launch(Cycle{0}, small);
    gpu_->launch(Cycle{0}, large);
    gpu_->run();
    return Cycle{std::stoull(log.issues.back())};
  }
};

TEST_F(Fragmentation, WhatInterleavedSmallBlocksLeaveHoldsNoLargeOne) {
  EXPECT_EQ(third_large_block("shared-fcfs"), Cycle{208});  // the end of the first large block, issued at 6
}

TEST_F(Fragmentation, WhatNeighboursLeaveHoldsALargeBlock) {
  EXPECT_EQ(third_large_block("left-over"), Cycle{28});  // the end of the second small block, issued at 6
}

}  // namespace
}  // namespace heddle
