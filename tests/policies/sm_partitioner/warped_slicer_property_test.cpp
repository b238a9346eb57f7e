// Warped-Slicer over random schedules of kernels, curves, contexts that open and close, and parameters.

#include <gtest/gtest.h>

#include <map>

#include "policies/sm_partitioner/warped_slicer.h"
#include "tests/support/machine/sm_driver_fixture.h"

namespace heddle {
namespace {

using Kind = PartitionDecision::Kind;
using Curve = std::vector<double>;

// While quotas are in force they fit the SM together, and no kernel exceeds its quota. A block that ends is
// therefore followed by a block of the same kernel. No SM is drained for quotas.
class QuotasHold final : public EngineObserver {
 public:
  QuotasHold(FakeGpu& gpu, const SmPartitioner& policy, const SmLimits& limits)
      : gpu_(gpu), policy_(policy), limits_(limits) {
    gpu.driver().observe(*this);
  }
  std::uint64_t shared = 0;  // SMs with several slices, over all decisions

  void scheduled(Cycle now) override {
    if (!quotas()) return;
    const MachineView& machine = gpu_.driver().view();
    for (const SmView& sm : machine.sms) {
      BlockResources all;
      std::size_t within = 0;
      for (const SliceView& slice : sm.slices) {
        if (slice.state == SliceState::kLeaving || slice.slice.quota == Slice::kUnlimited) continue;
        for (std::uint32_t i = 0; i < slice.slice.quota; ++i) all += machine.kernel(slice.slice.kernel).block;
        ++within;
      }
      ASSERT_TRUE(fits({}, all, limits_)) << "cycle " << now.value;
      if (within > 1) ++shared;
    }
  }
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId) override {
    for (const SliceView& slice : gpu_.driver().view().sms[sm.value].slices)
      if (slice.slice.kernel == ksr) {
        ASSERT_LE(slice.running, slice.slice.quota) << "cycle " << now.value << ", SM " << sm.value;
      }
  }
  void slice_event(Cycle now, SliceEvent event, SmId sm, KsrId ksr) override {
    if (event != SliceEvent::kLeaving || gpu_.driver().ksrs()[ksr].state != Ksr::State::kActive) return;
    ASSERT_FALSE(quotas()) << "cycle " << now.value << ", SM " << sm.value;
  }

 private:
  bool quotas() const {
    return !policy_.decisions().empty() && policy_.decisions().back().kind == Kind::kQuotas;
  }

  FakeGpu& gpu_;
  const SmPartitioner& policy_;
  const SmLimits limits_;
};

std::map<std::string, PolicyValue> random_parameters(Random& random) {
  const auto below = [&random](std::uint64_t most) { return static_cast<double>(random.below(most)); };
  return {{"sample", 5 + below(40)}, {"warm_up", below(100)},    {"profile", 1 + below(100)},
          {"loss", 0.2 * below(15)}, {"change", 0.3 * below(3)}, {"remember", below(2)},
          {"reserve", below(2)},     {"delay", below(60)},       {"scaling", below(3)},
          {"mpki", 20 * below(3)},   {"favour", below(3)},       {"warm_each", below(2)},
          {"printed_loss", below(2)}};
}

TEST(WarpedSlicerProperty, EveryKernelEndsAndABlockIsFollowedByOneOfItsKernel) {
  const auto drain = make_policy<Preemption>("drain");
  std::uint64_t shared = 0;
  std::map<Kind, std::uint64_t> made;
  for (std::uint64_t seed = 0; seed < cases(1500) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = random_schedule(seed);
    Random random(seed);
    const auto policy = PolicyRegistry<SmPartitioner>::make({"warped-slicer", random_parameters(random)});
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
    gpu.share_sms();
    std::vector<Curve> curves(schedule.arrivals.size());
    for (Curve& curve : curves)
      for (int i = 0; i < 4; ++i) curve.push_back(0.01 * static_cast<double>(random.below(300)));
    gpu.perform([&](KernelId kernel, std::uint32_t blocks) { return curves[kernel.value][blocks - 1]; });
    gpu.wait_for_memory(0.1 * static_cast<double>(random.below(11)));
    QuotasHold quotas(gpu, *policy, schedule.limits);
    schedule.feed(gpu);
    for (std::uint32_t i = 0; i < schedule.contexts.size(); ++i) {
      gpu.set_context(Cycle{random.below(200)}, ContextId{i}, {0, 0, true});
      gpu.set_context(Cycle{200 + random.below(2000)}, ContextId{i}, {0, 0, false});
    }
    ASSERT_NO_THROW(gpu.run());  // throws if a block is issued twice
    for (const KernelSpan& span : gpu.spans()) ASSERT_NE(span.ended, Cycle::never());
    shared += quotas.shared;
    for (const PartitionDecision& decision : policy->decisions()) ++made[decision.kind];
  }
  EXPECT_GT(shared, 1000);
  for (const Kind kind : {Kind::kProfile, Kind::kQuotas, Kind::kSpatial})
    EXPECT_GT(made[kind], 200) << name_of(kind);
}

}  // namespace
}  // namespace heddle
