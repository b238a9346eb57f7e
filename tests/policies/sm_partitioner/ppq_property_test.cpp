// Preemptive priority over random schedules: an SM is handed to a higher priority as soon as its blocks have
// ended.

#include <gtest/gtest.h>

#include <map>

#include "tests/support/machine/test_machine.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

// Observes every SM that is promised to a kernel of the largest priority.
class HandoverWatch final : public EngineObserver {
 public:
  HandoverWatch(const Schedule& schedule, FakeGpu& gpu) : schedule_(schedule), gpu_(gpu) {
    for (const ContextView& context : schedule.contexts) top_ = std::max(top_, context.priority);
  }

  std::uint64_t handovers() const { return handovers_; }

  void slice_event(Cycle now, SliceEvent event, SmId sm, KsrId ksr) override {
    const KernelLaunch& launch = gpu_.driver().ksrs()[ksr].launch;
    if (schedule_.contexts[launch.context.value].priority != top_) return;
    const auto slice = std::make_pair(sm, ksr);
    switch (event) {
      case SliceEvent::kReserved:
        due_[slice] = gpu_.busy_until(sm);
        break;
      case SliceEvent::kSetUp:
        if (due_.count(slice) == 0) break;
        EXPECT_LE(now, due_[slice]) << "SM " << sm.value;
        due_.erase(slice);
        ++handovers_;
        break;
      case SliceEvent::kFreed:
        if (due_.count(slice) == 0) break;
        EXPECT_EQ(gpu_.driver().ksrs()[ksr].unissued(), 0)
            << "SM " << sm.value << " taken back, cycle " << now.value;
        due_.erase(slice);
        break;
      case SliceEvent::kLeaving:
        EXPECT_TRUE(gpu_.driver().ksrs()[ksr].unissued() == 0)
            << "drained for a lower priority, cycle " << now.value;
        break;
      case SliceEvent::kRunning:
      case SliceEvent::kReturned:
        break;
    }
  }

  // A kernel of the largest priority lacks SMs only when kernels of the same priority hold all of them.
  void scheduled(Cycle now) override {
    const MachineView& machine = gpu_.driver().view();
    for (const KernelView& kernel : machine.kernels) {
      const std::int32_t priority = machine.contexts[kernel.context.value].priority;
      if (!wants_more(machine, kernel)) continue;
      for (const SmView& sm : machine.sms) {
        ASSERT_TRUE(sm.holder().valid()) << "an SM is left to nobody, cycle " << now.value;
        ASSERT_GE(machine.contexts[machine.kernel(sm.holder()).context.value].priority, priority)
            << "cycle " << now.value;
      }
    }
  }

  bool nothing_due() const { return due_.empty(); }

 private:
  const Schedule& schedule_;
  FakeGpu& gpu_;
  std::int32_t top_ = 0;
  std::map<std::pair<SmId, KsrId>, Cycle> due_;
  std::uint64_t handovers_ = 0;
};

TEST(PpqProperty, SmsAreHandedOverWithinTheLongestResidualBlock) {
  const auto policy = make_policy<SmPartitioner>("ppq");
  const auto drain = make_policy<Preemption>("drain");
  std::uint64_t handovers = 0;
  for (std::uint64_t seed = 0; seed < cases(3000) && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = random_schedule(seed);
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
    HandoverWatch watch(schedule, gpu);
    gpu.driver().observe(watch);
    schedule.feed(gpu);
    ASSERT_NO_THROW(gpu.run());
    ASSERT_TRUE(watch.nothing_due());
    handovers += watch.handovers();
  }
  EXPECT_GT(handovers, 1000);
}

// Blocks of lower priority fill the machine when a kernel of higher priority becomes active.
TEST(PpqProperty, AHigherPriorityHasAllItsSmsWithinTheLongestResidualAndTheSetUp) {
  const auto policy = make_policy<SmPartitioner>("ppq");
  const auto drain = make_policy<Preemption>("drain");
  for (std::uint64_t seed = 0; seed < cases(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Schedule schedule = random_schedule(seed);
    schedule.spec.contexts = 2;
    schedule.spec.ksrs = 20;
    schedule.spec.block_placement =
        BlockPlacement::kBreadth;  // packed placement would give one SM its first block per cycle
    schedule.contexts = {{0, 0}, {1, 0}};
    for (Schedule::Arrival& arrival : schedule.arrivals) arrival.launch.context = ContextId{0};
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
    schedule.feed(gpu);
    const Cycle loaded = schedule.arrivals.back().at + 40;
    const Cycle active = loaded + schedule.spec.kernel_launch_latency;
    const std::uint64_t blocks = 1 + seed % 12;
    KernelLaunch high = test_kernel(1, blocks, 1000, 1024);  // one block per SM
    const KernelId id = gpu.launch(loaded, high);
    gpu.run_until(active - 1);
    Cycle residual = active;
    for (std::uint32_t sm = 0; sm < schedule.sms; ++sm)
      residual = std::max(residual, gpu.busy_until(SmId{sm}));
    gpu.run_until(residual + schedule.spec.set_up_cycles());
    const auto issued = static_cast<std::uint64_t>(
        std::count(gpu.span(id).issued.begin(), gpu.span(id).issued.end(), std::uint8_t{1}));
    ASSERT_EQ(issued, std::min<std::uint64_t>(blocks, schedule.sms));
    ASSERT_NO_THROW(gpu.run());
  }
}

}  // namespace
}  // namespace heddle
