// A kernel whose program prefers a small carve-out has fewer blocks on an SM than its resources allow, and
// leaves the rest of the SM to others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "models/engine/sm_driver.h"
#include "tests/support/machine/sm_driver_fixture.h"

namespace heddle {
namespace {

// One SM with 8 block slots and carve-outs of 4, 16 and 48 KiB, whose messages the test writes.
class CarveOuts : public testing::Test, public DispatchPort {
 protected:
  void start(const std::string& policy) {
    SmLimits limits = test_limits(8);
    limits.carve_outs = {4 << 10, 16 << 10, 48 << 10};
    partitioner_ = make_policy<SmPartitioner>(policy);
    driver_.emplace(test_spec(), limits, 1, *partitioner_, *throttle_, *drain_, *this);
  }

  // Launches a kernel of 100 blocks of 2 KiB.
  void launch(std::int32_t carve_out) {
    KernelLaunch launch = test_kernel(0, 100, 1);
    launch.kernel = KernelId{launches_++};
    launch.shape.shared_bytes = 2 << 10;
    launch.shape.carve_out = carve_out;
    driver_->load(now_, launch);
  }

  void set_up(SmId, KsrId ksr, const KernelLaunch&) override { set_up_.push_back(ksr); }
  void issue(SmId, KsrId ksr, BlockId, const std::shared_ptr<const SavedBlock>&,
             const std::shared_ptr<const ClusterPlaces>&) override {
    ++issued_[ksr];
  }
  void save(SmId, KsrId, BlockId, std::uint32_t) override {}
  void flush(SmId, KsrId, BlockId) override {}
  void sample(SmId, Cycle) override {}
  void limit(SmId, KsrId, std::uint32_t) override {}
  void halt(SmId, KsrId) override {}

  // Runs until the driver comes to rest, and answers its set-ups.
  void run() {
    for (Cycle next = driver_->next_step(now_); next != Cycle::never(); next = driver_->next_step(now_)) {
      driver_->step(now_ = next);
      for (const KsrId ksr : std::exchange(set_up_, {})) driver_->sm_ready(now_, SmId{0}, ksr);
    }
  }
  std::uint64_t issued(std::uint32_t ksr) { return issued_[KsrId{ksr}]; }
  void end_block(std::uint32_t ksr, std::uint64_t block) {
    driver_->block_done(now_, SmId{0}, KsrId{ksr}, BlockId{block});
  }

 private:
  std::unique_ptr<SmPartitioner> partitioner_;
  std::unique_ptr<BlockThrottle> throttle_ = make_policy<BlockThrottle>("none");
  std::unique_ptr<Preemption> drain_ = make_policy<Preemption>("drain");
  std::optional<SmDriver> driver_;
  Cycle now_{0};
  std::uint32_t launches_ = 0;
  std::vector<KsrId> set_up_;
  std::map<KsrId, std::uint64_t> issued_;
};

TEST_F(CarveOuts, LimitTheBlocksOfAKernel) {
  start("fcfs-m");
  launch(0);
  run();
  EXPECT_EQ(issued(0), 2u) << "of 2 KiB in 4 KiB";
  end_block(0, 0);
  run();
  EXPECT_EQ(issued(0), 3u);
}

TEST_F(CarveOuts, OfNoPreferenceLimitNothing) {
  start("fcfs-m");
  launch(BlockShape::kAnyCarveOut);
  run();
  EXPECT_EQ(issued(0), 8u);
}

TEST_F(CarveOuts, LeaveTheRestToTheNextKernel) {
  start("left-over");
  launch(0);
  launch(BlockShape::kAnyCarveOut);
  run();
  EXPECT_EQ(issued(0), 2u);
  EXPECT_EQ(issued(1), 6u) << "the other block slots";
}

}  // namespace
}  // namespace heddle
