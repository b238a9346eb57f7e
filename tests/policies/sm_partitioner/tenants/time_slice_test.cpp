#include <gmock/gmock.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

// A core clock of which a cycle is a microsecond.
constexpr double kHz = 1e6;

// Times in cycles of that clock.
PolicyChoice slices_of(double quantum, double switch_cost, std::vector<std::int64_t> weights = {},
                       double idle = 0) {
  PolicyChoice choice{"time-slice", {{"quantum", quantum}, {"switch_cost", switch_cost}, {"idle", idle}}};
  if (!weights.empty()) choice.parameters["weights"] = IntegerLists{std::move(weights)};
  return choice;
}

class TimeSlice : public SmDriverTest {
 protected:
  FakeGpu& slice(const PolicyChoice& choice, std::uint32_t slots, std::uint32_t sms,
                 const std::string& preemption = "drain") {
    policy_ = PolicyRegistry<SmPartitioner>::make(choice);
    preemption_ = make_policy<Preemption>(preemption);
    gpu_ = std::make_unique<FakeGpu>(test_spec(), test_limits(slots), sms, *policy_, *preemption_);
    gpu_->share_sms();
    gpu_->driver().set_core_hz(kHz);
    return *gpu_;
  }
  std::unique_ptr<SmPartitioner> policy_;
  std::unique_ptr<Preemption> preemption_;
};

// A slice begins with its first block in cycle 5 and ends in cycle 101, in which its third block ends too.
// The other context gets the SM after the switch, and its slice begins after the set-up.
TEST_F(TimeSlice, TheGpuChangesHandsAtTheEndOfTheQuantumAndAfterTheSwitch) {
  FakeGpu& gpu = slice(slices_of(96, 20), 1, 1);
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 5, 30));
  gpu.launch(Cycle{0}, test_kernel(1, 4, 30));
  gpu.run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "37 sm0 k0 b1", "69 sm0 k0 b2",      // 5 .. 101
                                      "125 sm0 k1 b0", "157 sm0 k1 b1", "189 sm0 k1 b2",  // 125 .. 221
                                      "245 sm0 k0 b3", "277 sm0 k0 b4",  // 245 .. 309: no more work
                                      "333 sm0 k1 b3"));                 // from 329 on
  EXPECT_EQ(counter("drains"), 2);
  expect_rest();
}

TEST_F(TimeSlice, ADrainedBlockDelaysTheOtherContextByWhatIsLeftOfIt) {
  FakeGpu& gpu = slice(slices_of(100, 20), 2, 1);
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 4, 148));
  gpu.launch(Cycle{0}, test_kernel(1, 1, 30));
  gpu.run();
  // The slice ends in cycle 105, and the blocks end in 155 and 156.
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "180 sm0 k1 b0", "236 sm0 k0 b2", "237 sm0 k0 b3"));
}

TEST_F(TimeSlice, SwappedBlocksLeaveAtOnceAndGoOnInTheNextSlice) {
  FakeGpu& gpu = slice(slices_of(96, 20), 1, 1, "switch");
  gpu.swap_in(7);
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 1, 300));
  gpu.launch(Cycle{0}, test_kernel(1, 1, 30));
  gpu.run();
  // The block is asked to leave in cycle 101 and has left in 110. It has run 5 .. 103 of 302 cycles.
  EXPECT_EQ(gpu.span(KernelId{1}).first_block, Cycle{110 + 20 + 4});
  EXPECT_EQ(gpu.span(KernelId{1}).ended, Cycle{134 + 32});
  EXPECT_EQ(gpu.span(KernelId{0}).ended, Cycle{166 + 20 + 4 + 2 + 7 + (307 - 103)});
  EXPECT_EQ(gpu.blocks_saved(), 1u);
}

TEST_F(TimeSlice, AContextWithoutWorkGivesItsSliceUpAtOnce) {
  FakeGpu& gpu = slice(slices_of(1000, 20), 1, 1);
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 1, 30));
  gpu.launch(Cycle{0}, test_kernel(1, 1, 30));
  gpu.run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "61 sm0 k1 b0"));  // 37 + 20 + 4
}

TEST_F(TimeSlice, AContextKeepsItsSliceThroughAPauseThatIsShorterThanIdle) {
  FakeGpu& gpu = slice(slices_of(1000, 20, {}, 20), 1, 1);
  gpu.launch(Cycle{0}, test_kernel(0, 1, 30));
  gpu.launch(Cycle{0}, test_kernel(1, 1, 30));
  gpu.launch(Cycle{50}, test_kernel(0, 1, 30));  // the first kernel of the context ends in cycle 37
  gpu.run();
  EXPECT_EQ(gpu.span(KernelId{0}).ended, Cycle{37});
  EXPECT_LT(gpu.span(KernelId{2}).ended, gpu.span(KernelId{1}).first_block);
  // The slice ends when the second kernel has been over for 20 cycles; switch and set-up follow.
  EXPECT_EQ(gpu.span(KernelId{1}).first_block, gpu.span(KernelId{2}).ended + (20 + 20 + 4));
}

TEST_F(TimeSlice, AContextThatPausesForLongerThanIdleGivesItsSliceUp) {
  FakeGpu& gpu = slice(slices_of(1000, 20, {}, 20), 1, 1);
  gpu.launch(Cycle{0}, test_kernel(0, 1, 30));
  gpu.launch(Cycle{0}, test_kernel(1, 1, 30));
  gpu.launch(Cycle{58}, test_kernel(0, 1, 30));  // in the cycle in which the slice has been given up
  gpu.run();
  EXPECT_EQ(gpu.span(KernelId{1}).first_block, Cycle{37 + 20 + 20 + 4});
  EXPECT_GT(gpu.span(KernelId{2}).first_block, gpu.span(KernelId{1}).ended);
}

TEST_F(TimeSlice, AContextThatIsAloneHasOneSliceAfterTheOther) {
  FakeGpu& gpu = slice(slices_of(100, 20), 1, 1);
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 10, 30));
  gpu.launch(Cycle{149}, test_kernel(1, 1, 30));
  gpu.run();
  // The other context comes in cycle 150, in the second slice, which ends in cycle 205; a block drains to
  // 229.
  EXPECT_EQ(log.issues[6], "197 sm0 k0 b6");
  EXPECT_EQ(log.issues[7], "253 sm0 k1 b0");
  EXPECT_EQ(gpu.span(KernelId{1}).ended, Cycle{285});
  EXPECT_EQ(log.issues[8], "309 sm0 k0 b7");
}

TEST_F(TimeSlice, WeightsMakeSlicesLonger) {
  FakeGpu& gpu = slice(slices_of(100, 0, {3, 1}), 1, 1);
  gpu.launch(Cycle{0}, test_kernel(0, 1000, 18));
  gpu.launch(Cycle{0}, test_kernel(1, 1000, 18));
  gpu.run_until(Cycle{1 + 19 * (304 + 104)});
  const Ksr& first = gpu.driver().ksrs()[KsrId{0}];
  const Ksr& second = gpu.driver().ksrs()[KsrId{1}];
  // A block takes 20 cycles and the set-up 4, so that 15 and 5 blocks are issued in a slice.
  EXPECT_EQ(first.issued, 19u * 15);
  EXPECT_EQ(second.issued, 19u * 5);
}

TEST_F(TimeSlice, ASliceShorterThanTheSetUpStillIssuesABlock) {
  FakeGpu& gpu = slice(slices_of(1, 0), 1, 1);
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 2, 30));
  gpu.launch(Cycle{0}, test_kernel(1, 2, 30));
  gpu.run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "41 sm0 k1 b0", "77 sm0 k0 b1", "113 sm0 k1 b1"));
}

// It takes 50 cycles to restore a block, and a slice has 10: a block gets on for those and for the 2 cycles
// of the request to leave. The blocks of both contexts last 40 cycles, so that each leaves three times.
TEST_F(TimeSlice, ASliceBeginsWhenABlockHasItsStateBackSoThatShortOnesGetOn) {
  FakeGpu& gpu = slice(slices_of(10, 0), 1, 1, "switch");
  gpu.swap_in(50);
  gpu.launch(Cycle{0}, test_kernel(0, 1, 40));
  gpu.launch(Cycle{0}, test_kernel(1, 1, 40));
  gpu.run_until(Cycle{5000});
  EXPECT_NE(gpu.span(KernelId{0}).ended, Cycle::never());
  EXPECT_NE(gpu.span(KernelId{1}).ended, Cycle::never());
  EXPECT_EQ(gpu.blocks_saved(), 6u);
}

TEST_F(TimeSlice, TheLastContextWithWorkGetsTheGpuBackWithoutASwitch) {
  FakeGpu& gpu = slice(slices_of(100, 20), 1, 1);
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 3, 148));
  gpu.launch(Cycle{0}, test_kernel(1, 1, 30));
  gpu.halt(Cycle{120}, ContextId{1});
  gpu.run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "155 sm0 k0 b1", "305 sm0 k0 b2"));
}

TEST_F(TimeSlice, AClockOfAnotherFrequencyConvertsTheQuantum) {
  FakeGpu& gpu = slice(slices_of(100, 20), 1, 1);
  gpu.driver().set_core_hz(2 * kHz);
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 9, 30));
  gpu.launch(Cycle{0}, test_kernel(1, 1, 30));
  gpu.run();
  EXPECT_EQ(log.issues[6], "197 sm0 k0 b6");
  EXPECT_EQ(log.issues[7], "273 sm0 k1 b0");  // drained in 229, switched in 40 cycles, set up in 4
}

// Launches a kernel of the same context whenever one has ended, and keeps the time that each took from the
// end of the one before it.
class Endless final : public EngineObserver {
 public:
  Endless(FakeGpu& gpu, std::uint32_t tenants, const KernelLaunch& kernel) : gpu_(gpu), kernel_(kernel) {
    gpu.driver().observe(*this);
    ended_.resize(tenants);
    latencies.resize(tenants);
    for (std::uint32_t i = 0; i < tenants; ++i) launch(Cycle{0}, ContextId{i});
  }
  std::vector<std::vector<std::uint64_t>> latencies;  // by tenant

  void kernel_event(Cycle now, KernelEvent event, KsrId, const KernelLaunch& launched) override {
    if (event != KernelEvent::kEnded) return;
    const std::uint32_t tenant = launched.context.value;
    latencies[tenant].push_back(now - ended_[tenant]);
    ended_[tenant] = now;
    launch(now, launched.context);
  }

 private:
  void launch(Cycle now, ContextId context) {
    KernelLaunch next = kernel_;
    next.context = context;
    gpu_.launch(now, next);
  }
  FakeGpu& gpu_;
  const KernelLaunch kernel_;
  std::vector<Cycle> ended_;
};

std::uint64_t median(std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A slice and a switch take quantum and cost, of which the second tenant has the other half.
TEST_F(TimeSlice, TwoEndlessTenantsGetHalfEachAndTheirKernelsTakeTwiceAsLong) {
  constexpr std::uint64_t kQuantum = 1000;
  constexpr std::uint64_t kCycles = 400000;
  const KernelLaunch kernel = test_kernel(0, 2000, 18);  // 5000 cycles on four SMs with two blocks each
  const auto latencies_of = [&](std::uint32_t tenants, double switch_cost) {
    FakeGpu& gpu = slice(slices_of(kQuantum, switch_cost), 2, 4);
    Endless load(gpu, tenants, kernel);
    gpu.run_until(Cycle{kCycles});
    return load.latencies;
  };
  const std::vector<std::uint64_t> alone = latencies_of(1, 0)[0];
  for (const double cost : {0.0, 50.0, 250.0}) {
    const auto beside = latencies_of(2, cost);
    const double longer = 2 * (kQuantum + cost) / kQuantum;
    for (std::uint32_t tenant = 0; tenant < 2; ++tenant) {
      SCOPED_TRACE(testing::Message() << "tenant " << tenant << ", a switch takes " << cost);
      EXPECT_NEAR(static_cast<double>(median(beside[tenant])), longer * static_cast<double>(median(alone)),
                  kQuantum + cost);
      EXPECT_NEAR(static_cast<double>(beside[tenant].size()), static_cast<double>(alone.size()) / longer, 2);
    }
  }
}

TEST(TimeSliceParameters, WeightsThatCannotBeAreOneMessage) {
  GpuDescription gpu;
  gpu.sms = 4;
  gpu.applications = 2;
  const auto misfit = [&gpu](IntegerLists weights) {
    return PolicyCatalogue::instance().misfit("sm_partitioner",
                                              {"time-slice", {{"weights", std::move(weights)}}}, gpu);
  };
  EXPECT_EQ(misfit({{2, 1}}), "");
  EXPECT_EQ(misfit({{2, 1, 1}}), "time-slice: weights names 3 applications, of which there are 2");
  EXPECT_EQ(misfit({{2}, {1}}), "time-slice: weights is one list by application, and 2 are given");
  EXPECT_THROW(misfit({{0, 1}}), PolicyError);
}

// Checks at every issue that no block of another context is on any SM.
class OneContext final : public EngineObserver {
 public:
  explicit OneContext(FakeGpu& gpu) : gpu_(gpu) { gpu.driver().observe(*this); }
  std::uint64_t changes = 0;

  void block_issued(Cycle now, SmId, KsrId ksr, BlockId) override {
    const KsrFile& ksrs = gpu_.driver().ksrs();
    const ContextId context = ksrs[ksr].launch.context;
    for (const KsrId other : ksrs.active())
      ASSERT_TRUE(ksrs[other].launch.context == context || ksrs[other].running() == 0)
          << "cycle " << now.value;
    changes += last_.valid() && last_ != context ? 1 : 0;
    last_ = context;
  }

 private:
  FakeGpu& gpu_;
  ContextId last_ = ContextId::none();
};

TEST(TimeSliceProperty, BlocksOfTwoContextsAreNeverOnTheGpuAtOnce) {
  std::uint64_t changes = 0;
  for (std::uint64_t seed = 0; seed < cases(300) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = random_schedule(seed);
    Random random(seed);
    const auto policy = PolicyRegistry<SmPartitioner>::make(
        slices_of(static_cast<double>(30 + random.below(300)), static_cast<double>(random.below(50))));
    const auto preemption = make_policy<Preemption>(seed % 2 == 0 ? "drain" : "switch");
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *preemption);
    gpu.share_sms();
    gpu.driver().set_core_hz(kHz);
    const OneContext check(gpu);
    schedule.feed(gpu);
    gpu.run();
    changes += check.changes;
  }
  EXPECT_GT(changes, 500);
}

}  // namespace
}  // namespace heddle
