// The costs of handing an SM over, as a preemption policy receives them.

#include "models/engine/block_costs.h"

#include <gtest/gtest.h>

#include "tests/support/schedules.h"

namespace heddle {
namespace {

// A kernel of 10 blocks in a KSR. Two of its blocks are on an SM, since cycles 100 and 130.
class BlockCostsTest : public testing::Test {
 protected:
  BlockCostsTest() {
    KernelLaunch launch = test_kernel(0, 10, 1, 64);
    launch.shape.registers_per_thread = 16;
    launch.shape.shared_bytes = 300;
    limits_.shared_granularity = 128;
    ksr_ = ksrs_.load(launch, limits_, Cycle{0});
    smsrs_.emplace_back(limits_);
    Ksr& kernel = ksrs_[ksr_];
    smsrs_[0].resources.take(ksr_, BlockId{5}, kernel.need, Cycle{100});
    smsrs_[0].resources.take(ksr_, BlockId{3}, kernel.need, Cycle{130});
    smsrs_[0].resources.take(KsrId{1}, BlockId{0}, kernel.need, Cycle{110});
  }
  std::vector<HandoverCost> read(std::uint64_t now) {
    BlockCosts costs(ksrs_, smsrs_);
    costs.set_time(Cycle{now});
    std::vector<HandoverCost> read(7);  // read() replaces the old contents
    costs.read(SmId{0}, ksr_, read);
    return read;
  }

  SmLimits limits_ = test_limits(8);
  KsrFile ksrs_{2};
  KsrId ksr_;
  SmsrFile smsrs_;
};

TEST_F(BlockCostsTest, BeforeABlockOfTheKernelHasEndedNothingIsEstimated) {
  const std::vector<HandoverCost> costs = read(160);
  ASSERT_EQ(costs.size(), 2);
  EXPECT_EQ(costs[0].block, BlockId{3});
  EXPECT_EQ(costs[0].elapsed, 30);
  EXPECT_EQ(costs[1].block, BlockId{5});
  EXPECT_EQ(costs[1].elapsed, 60);
  for (const HandoverCost& cost : costs) {
    EXPECT_FALSE(cost.drain_cycles);
    EXPECT_FALSE(cost.flush_instructions);
    EXPECT_EQ(cost.switch_bytes, 4 * 64 * 16 + 384);  // registers of 4 bytes; 300 bytes in pieces of 128
  }
}

// Two ended blocks took 300 cycles and issued 80 warp instructions in total.
TEST_F(BlockCostsTest, EstimatesFollowTheMeanOfTheBlocksThatHaveEnded) {
  ksrs_[ksr_].done = 2;
  ksrs_[ksr_].ended_cycles = 300;
  ksrs_[ksr_].ended_instructions = 80;
  const std::vector<HandoverCost> costs = read(160);
  ASSERT_EQ(costs.size(), 2);
  EXPECT_EQ(costs[0].drain_cycles, 120u);
  EXPECT_EQ(costs[0].flush_instructions, 8u);
  EXPECT_EQ(costs[1].drain_cycles, 90u);
  EXPECT_EQ(costs[1].flush_instructions, 16u);
  for (const HandoverCost& cost : read(1000)) {  // 1000 cycles are longer than the mean
    EXPECT_EQ(cost.drain_cycles, 0u);
    EXPECT_EQ(cost.flush_instructions, 40u);
  }
}

// A preemption policy that drains, and compares the costs that it receives with the slice and with the
// durations of the kernels.
class CostReader final : public Preemption {
 public:
  explicit CostReader(const Schedule& schedule) : schedule_(schedule) {}
  bool answers(Handover way) const override { return way == Handover::kDrain; }
  void decide(const HandoverView& view, std::vector<Handover>& blocks) override {
    view.costs->read(view.sm, view.kernel, costs_);
    EXPECT_EQ(costs_.size(), view.running);
    EXPECT_EQ(blocks.size(), view.running);
    const std::uint64_t most = schedule_.longest_residence + schedule_.spec.block_issue_latency;
    for (const HandoverCost& cost : costs_) {
      EXPECT_LE(cost.elapsed, most);
      EXPECT_LE(cost.drain_cycles.value_or(0), most);
      estimates += cost.drain_cycles ? 1 : 0;
    }
  }
  std::size_t estimates = 0;

 private:
  const Schedule& schedule_;
  std::vector<HandoverCost> costs_;
};

TEST(BlockCosts, APreemptionPolicySeesEveryBlockOfTheSlice) {
  std::size_t estimates = 0;
  for (std::uint64_t seed = 0; seed < cases(300); ++seed) {
    const Schedule schedule = random_schedule(seed);
    const auto policy = make_policy<SmPartitioner>("token");
    CostReader reader(schedule);
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, reader);
    schedule.feed(gpu);
    gpu.run();
    estimates += reader.estimates;
  }
  EXPECT_GT(estimates, 50);
}

}  // namespace
}  // namespace heddle
