// Preemption by switch: blocks are saved at once, and go on first.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

class SmDriverSwitch : public SmDriverTest {
 protected:
  FakeGpu& switching(std::uint32_t slots, std::uint32_t sms, SmPartitioner& partitioner) {
    gpu_ = std::make_unique<FakeGpu>(test_spec(8), test_limits(slots), sms, partitioner, *switch_);
    return *gpu_;
  }
  std::unique_ptr<Preemption> switch_ = make_policy<Preemption>("switch");
};

// The stores and the loads of a block take 5 cycles, a message to the SM takes 2.
TEST_F(SmDriverSwitch, BlocksThatWereSavedGoOnBeforeNewOnesWithTheCyclesThatTheyHaveLeft) {
  Scripted policy(youngest);
  Log log(switching(2, 1, policy));
  HandoverLog switches(*gpu_);
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 1000));
  gpu_->launch(Cycle{99}, test_kernel(1, 1, 10));
  gpu_->run();
  EXPECT_THAT(log.slices,
              ElementsAre("1 sm0 k0 set up", "5 sm0 k0 running", "100 sm0 k0 leaving", "100 sm0 k1 reserved",
                          "107 sm0 k0 freed", "107 sm0 k1 set up", "111 sm0 k1 running", "123 sm0 k1 freed",
                          "123 sm0 k0 set up", "127 sm0 k0 running", "2041 sm0 k0 freed"));
  EXPECT_THAT(switches.lines, ElementsAre("107 saved sm0 k0 b0", "107 saved sm0 k0 b1",
                                          "127 resumed sm0 k0 b0", "128 resumed sm0 k0 b1"));
  // Block 0 ran from 7 to 102, and has 905 cycles left.
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "111 sm0 k1 b0",
                                      fmt::format("{} sm0 k0 b2", 127 + 2 + 5 + 905)));
  EXPECT_EQ(counter("switches"), 1u);
  EXPECT_EQ(counter("drains"), 0u);
  EXPECT_EQ(counter("blocks_saved"), 2u);
  EXPECT_EQ(counter("blocks_issued"), 4u);
  EXPECT_EQ(counter("blocks_done"), 4u);
  expect_rest();
}

TEST_F(SmDriverSwitch, AKernelThatHadRunOutOfBlocksGetsSmsAgainForTheSavedOnes) {
  const auto ppq = make_policy<SmPartitioner>("ppq");
  switching(1, 1, *ppq);
  HandoverLog switches(*gpu_);
  gpu_->set_context(Cycle{0}, ContextId{1}, {1, 0, true});
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 100'000));
  gpu_->launch(Cycle{500}, test_kernel(1, 2, 50));
  gpu_->run();
  EXPECT_EQ(gpu_->span(KernelId{1}).first_block, Cycle{501 + 7 + 4});
  EXPECT_LT(gpu_->span(KernelId{1}).ended, Cycle{700});
  EXPECT_GT(gpu_->span(KernelId{0}).ended, Cycle{100'000});
  EXPECT_LT(gpu_->span(KernelId{0}).ended, Cycle{100'300});
  EXPECT_EQ(switches.lines.size(), 2u);
  expect_rest();
}

TEST_F(SmDriverSwitch, BlocksThatLeaveAsTheSliceReturnsGoOnThere) {
  Scripted policy([](std::size_t call, const MachineView& machine, Partition& partition) {
    if (!machine.kernels.empty()) partition.give(0, call == 1 ? KsrId{1} : machine.kernels.front().ksr);
  });
  Log log(switching(2, 1, policy));
  HandoverLog switches(*gpu_);
  gpu_->launch(Cycle{0}, test_kernel(0, 4, 1000));
  gpu_->launch(Cycle{99}, test_kernel(1, 1, 10));
  gpu_->set_context(Cycle{102}, ContextId{0}, {});
  gpu_->run();
  EXPECT_THAT(switches.lines, ElementsAre("107 saved sm0 k0 b0", "107 saved sm0 k0 b1",
                                          "107 resumed sm0 k0 b0", "108 resumed sm0 k0 b1"));
  EXPECT_EQ(counter("set_ups"), 2u);
  expect_rest();
}

// A preemption policy that saves blocks, and records for how long each has been on SMs.
class ElapsedTimes final : public Preemption {
 public:
  bool answers(Handover way) const override { return way == Handover::kSwitch; }
  void decide(const HandoverView& view, std::vector<Handover>& blocks) override {
    view.costs->read(view.sm, view.kernel, costs_);
    for (const HandoverCost& cost : costs_) elapsed.push_back(cost.elapsed);
    std::fill(blocks.begin(), blocks.end(), Handover::kSwitch);
  }
  std::vector<std::uint64_t> elapsed;

 private:
  std::vector<HandoverCost> costs_;
};

TEST_F(SmDriverSwitch, TheTimeInSwapSpaceIsNoPartOfTheTimeOfABlock) {
  Scripted policy(youngest);
  ElapsedTimes times;
  gpu_ = std::make_unique<FakeGpu>(test_spec(8), test_limits(1), 1, policy, times);
  HandoverLog switches(*gpu_);
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 1000));
  gpu_->launch(Cycle{99}, test_kernel(1, 1, 200));
  gpu_->launch(Cycle{399}, test_kernel(2, 1, 200));
  gpu_->run();
  // It was issued at 5 and reported saved at 107, then issued at 317 and preempted at 400.
  EXPECT_THAT(switches.lines, ElementsAre("107 saved sm0 k0 b0", "317 resumed sm0 k0 b0",
                                          "407 saved sm0 k0 b0", "617 resumed sm0 k0 b0"));
  EXPECT_THAT(times.elapsed, ElementsAre(95u, 102u + 83));
}

TEST_F(SmDriverSwitch, AHaltedKernelWithBlocksInSwapSpaceEnds) {
  Scripted policy(youngest);
  switching(2, 1, policy);
  gpu_->launch(Cycle{0}, test_kernel(0, 10, 1000));
  gpu_->launch(Cycle{99}, test_kernel(1, 1, 500));
  gpu_->halt(Cycle{300}, ContextId{0});
  gpu_->run_until(Cycle{300});
  EXPECT_EQ(gpu_->span(KernelId{0}).ended, Cycle{300});
  gpu_->run();
  EXPECT_EQ(counter("blocks_dropped"), 2u);
  EXPECT_EQ(counter("blocks_issued"), 3u);
  expect_rest();
}

TEST_F(SmDriverSwitch, AHaltWhileBlocksAreSavedEndsThem) {
  for (std::uint64_t at = 100; at < 115; ++at) {
    Scripted policy(youngest);
    switching(2, 1, policy);
    gpu_->launch(Cycle{0}, test_kernel(0, 10, 1000));
    gpu_->launch(Cycle{99}, test_kernel(1, 1, 500));
    gpu_->halt(Cycle{at}, ContextId{0});
    gpu_->run();
    EXPECT_LE(gpu_->span(KernelId{0}).ended, Cycle{at + 2}) << at;
    expect_rest();
  }
}

}  // namespace
}  // namespace heddle
