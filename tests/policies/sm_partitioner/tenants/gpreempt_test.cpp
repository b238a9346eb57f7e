#include <gmock/gmock.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

constexpr double kCoreHz = 1e6;  // a cycle of the core clock takes one microsecond

class GPreempt : public SmDriverTest {
 protected:
  // Context 1 is latency critical, and the others are of best effort.
  FakeGpu& machine(double idle, const std::string& preemption, std::uint32_t slots = 1) {
    policy_ = PolicyRegistry<SmPartitioner>::make({"gpreempt", {{"idle", idle}}});
    preemption_ = make_policy<Preemption>(preemption);
    gpu_ = std::make_unique<FakeGpu>(test_spec(), test_limits(slots), 1, *policy_, *preemption_);
    gpu_->share_sms();
    gpu_->driver().set_core_hz(kCoreHz);
    gpu_->set_context(Cycle{0}, ContextId{1}, {1, 0, true});
    return *gpu_;
  }
  std::unique_ptr<SmPartitioner> policy_;
  std::unique_ptr<Preemption> preemption_;
};

TEST_F(GPreempt, ABestEffortKernelLeavesAsSoonAsALatencyCriticalOneArrivesAndGoesOnLater) {
  FakeGpu& gpu = machine(0, "switch");
  gpu.launch(Cycle{0}, test_kernel(0, 1, 1000));
  gpu.launch(Cycle{100}, test_kernel(1, 3, 30));
  gpu.run();
  // The latency-critical kernel arrives in cycle 101. The block is stored by cycle 101 + 2 + 5, and setting
  // up the SM takes four cycles.
  EXPECT_EQ(gpu.span(KernelId{1}).first_block, Cycle{112});
  EXPECT_GT(gpu.span(KernelId{0}).ended, Cycle{1000 + 3 * 30});
  EXPECT_EQ(gpu.blocks_saved(), 1u);
}

TEST_F(GPreempt, WithDrainALatencyCriticalKernelWaitsForTheBlocks) {
  FakeGpu& gpu = machine(0, "drain");
  gpu.launch(Cycle{0}, test_kernel(0, 2, 1000));
  gpu.launch(Cycle{100}, test_kernel(1, 1, 30));
  gpu.run();
  EXPECT_EQ(gpu.span(KernelId{1}).first_block, Cycle{1011});
}

TEST_F(GPreempt, ALatencyCriticalKernelYieldsToNobody) {
  FakeGpu& gpu = machine(0, "switch");
  gpu.launch(Cycle{0}, test_kernel(1, 50, 30));
  gpu.launch(Cycle{10}, test_kernel(0, 1, 30));
  gpu.run();
  EXPECT_GT(gpu.span(KernelId{1}).first_block, gpu.span(KernelId{0}).ended);
  EXPECT_EQ(gpu.blocks_saved(), 0u);
}

// The second latency-critical kernel arrives 20 cycles after the end of the first one. With `idle` above that
// the best-effort kernel waits for both, and otherwise it runs in between.
TEST_F(GPreempt, TheGpuStaysWithALatencyCriticalContextForAShortPause) {
  FakeGpu& gpu = machine(50, "switch");
  gpu.launch(Cycle{0}, test_kernel(1, 1, 30));
  gpu.launch(Cycle{1}, test_kernel(0, 1, 30));
  gpu.launch(Cycle{60}, test_kernel(1, 1, 30));
  gpu.run();
  EXPECT_GT(gpu.span(KernelId{1}).first_block, gpu.span(KernelId{2}).ended);
}

TEST_F(GPreempt, TheGpuGoesBackAfterALongerPause) {
  FakeGpu& gpu = machine(5, "switch");
  gpu.launch(Cycle{0}, test_kernel(1, 1, 30));
  gpu.launch(Cycle{1}, test_kernel(0, 1, 300));
  gpu.launch(Cycle{100}, test_kernel(1, 1, 30));
  gpu.run();
  EXPECT_LT(gpu.span(KernelId{1}).first_block, Cycle{60});
  EXPECT_LT(gpu.span(KernelId{2}).ended, gpu.span(KernelId{1}).ended);
}

}  // namespace
}  // namespace heddle
