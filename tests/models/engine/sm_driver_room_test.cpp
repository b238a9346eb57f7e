// An SM that gives its resources to warps says how many blocks it has room for.

#include <gtest/gtest.h>

#include <string>

#include "models/engine/sm_driver.h"
#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

// One SM with 8 block slots, whose messages the test writes.
class Room : public testing::Test, public DispatchPort {
 protected:
  Room() {
    SmLimits limits = test_limits(8);
    limits.by_warp = true;
    driver_.emplace(test_spec(), limits, 1, *partitioner_, *throttle_, *drain_, *this);
    KernelLaunch launch = test_kernel(0, 100, 1);
    launch.kernel = KernelId{0};
    driver_->load(Cycle{0}, launch);
  }

  void set_up(SmId, KsrId ksr, const KernelLaunch&) override { ksr_ = ksr; }
  void issue(SmId, KsrId, BlockId, const std::shared_ptr<const SavedBlock>&,
             const std::shared_ptr<const ClusterPlaces>&) override {
    ++issued_;
  }
  void save(SmId, KsrId, BlockId, std::uint32_t) override {}
  void flush(SmId, KsrId, BlockId) override {}
  void sample(SmId, Cycle) override {}
  void limit(SmId, KsrId, std::uint32_t) override {}
  void halt(SmId, KsrId) override {}

  // Returns the blocks that have been issued when the driver comes to rest.
  std::uint64_t issued() {
    for (Cycle next = driver_->next_step(now_); next != Cycle::never(); next = driver_->next_step(now_))
      driver_->step(now_ = next);
    return issued_;
  }
  std::uint64_t issued_with(std::uint64_t room) {
    driver_->room_told(SmId{0}, ksr_, room);
    return issued();
  }

  std::unique_ptr<SmPartitioner> partitioner_ = make_policy<SmPartitioner>("fcfs-m");
  std::unique_ptr<BlockThrottle> throttle_ = make_policy<BlockThrottle>("none");
  std::unique_ptr<Preemption> drain_ = make_policy<Preemption>("drain");
  std::optional<SmDriver> driver_;
  Cycle now_{0};
  KsrId ksr_;
  std::uint64_t issued_ = 0;
};

TEST_F(Room, LimitsTheBlocksSinceTheSetUpAndMayGrowAndShrink) {
  EXPECT_EQ(issued(), 0u);
  EXPECT_EQ(issued_with(2), 0u);  // the set-up is not complete
  driver_->sm_ready(now_, SmId{0}, ksr_);
  EXPECT_EQ(issued(), 2u);
  EXPECT_EQ(issued_with(1), 2u);
  EXPECT_EQ(issued_with(5), 5u);
  driver_->block_done(now_, SmId{0}, ksr_, BlockId{0});
  EXPECT_EQ(issued(), 5u);
  EXPECT_EQ(issued_with(100), 9u);  // 8 block slots
}

TEST_F(Room, OfASliceThatHasLeftIsForgotten) {
  issued();
  driver_->room_told(SmId{0}, KsrId{3}, 8);
  driver_->sm_ready(now_, SmId{0}, ksr_);
  EXPECT_EQ(issued(), 0u);
}

}  // namespace
}  // namespace heddle
