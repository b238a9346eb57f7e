// Block throttles under an SM driver: when they are asked, and what their caps do.

#include <gmock/gmock.h>

#include "tests/support/machine/sm_driver_fixture.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

PolicyChoice fixed(const std::vector<std::int64_t>& blocks) {
  return {"fixed", {{"blocks", IntegerLists{blocks}}}};
}

// The throttle of a test, on SMs that several kernels share.
class Throttled : public SmDriverTest {
 protected:
  const Log& start(const PolicyChoice& throttle, std::uint32_t slots, std::uint32_t sms = 1,
                   const std::string& partitioner = "left-over") {
    throttle_ = PolicyRegistry<BlockThrottle>::make(throttle);
    sharing_ = make_policy<SmPartitioner>(partitioner);
    gpu_ =
        std::make_unique<FakeGpu>(test_spec(), test_limits(slots), sms, *sharing_, *drain_, throttle_.get());
    gpu_->share_sms();
    reports_ = std::make_unique<Reports>();
    gpu_->driver().observe(*reports_);
    log_ = std::make_unique<Log>(*gpu_);
    return *log_;
  }
  // The stalled share of an SM with so many blocks is that of `curve`, of 1, 2, ... blocks.
  void stall(const std::vector<double>& curve) {
    gpu_->stall([curve](KernelId, std::uint32_t blocks) {
      return blocks == 0 ? 0.0 : curve[std::min<std::size_t>(blocks, curve.size()) - 1];
    });
  }
  const ThrottleReport& report() const { return reports_->last; }

  struct Reports final : EngineObserver {
    ThrottleReport last;
    void slice_throttled(Cycle, SmId, KsrId, const ThrottleReport& report) override { last = report; }
  };
  std::unique_ptr<BlockThrottle> throttle_;
  std::unique_ptr<Reports> reports_;
  std::unique_ptr<Log> log_;
};

TEST_F(Throttled, ACapHoldsAKernelBelowWhatFits) {
  const Log& log = start(fixed({2}), 4);
  gpu_->launch(Cycle{0}, test_kernel(0, 4, 20));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "27 sm0 k0 b2", "28 sm0 k0 b3"));
  EXPECT_EQ(report().most, 4);
  EXPECT_EQ(report().cap, 2);
  expect_rest();
}

TEST_F(Throttled, AKernelAtItsCapMakesNoClaimSoThatAYoungerOneIssues) {
  const Log& log = start(fixed({2, 8}), 4);  // by application
  gpu_->launch(Cycle{0}, test_kernel(0, 4, 20));
  gpu_->launch(Cycle{0}, test_kernel(1, 3, 50));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "7 sm0 k1 b0", "8 sm0 k1 b1",
                                      "27 sm0 k0 b2", "28 sm0 k0 b3", "49 sm0 k1 b2"));
}

TEST_F(Throttled, TheLowerOfQuotaAndCapCounts) {
  const auto issued_first = [this](std::int64_t cap) {
    throttle_ = PolicyRegistry<BlockThrottle>::make(fixed({cap}));
    Scripted quotas([](std::size_t, const MachineView& machine, Partition& partition) {
      if (!machine.kernels.empty() && partition.slices(0).empty() && machine.kernels.front().unissued > 0)
        partition.slices(0).push_back({machine.kernels.front().ksr, 3});
    });
    FakeGpu gpu(test_spec(), test_limits(8), 1, quotas, *drain_, throttle_.get());
    const Log log(gpu);
    gpu.launch(Cycle{0}, test_kernel(0, 20, 100));
    gpu.run_until(Cycle{30});
    return log.issues.size();
  };
  EXPECT_EQ(issued_first(2), 2);
  EXPECT_EQ(issued_first(3), 3);
  EXPECT_EQ(issued_first(5), 3);
}

TEST_F(Throttled, ASliceThatThePartitionerMeasuresIsCappedAfterwards) {
  throttle_ = PolicyRegistry<BlockThrottle>::make(fixed({1}));
  Scripted quotas([](std::size_t, const MachineView& machine, Partition& partition) {
    if (machine.kernels.empty()) return;
    const bool measures = machine.kernels.size() == 1;
    partition.slices(0).assign(1, Slice{machine.kernels.front().ksr, 3, !measures});
  });
  FakeGpu gpu(test_spec(), test_limits(8), 1, quotas, *drain_, throttle_.get());
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 20, 100));
  gpu.launch(Cycle{150}, test_kernel(1, 20, 100));
  gpu.run_until(Cycle{150});
  EXPECT_EQ(log.issues.size(), 6);  // three at a time
  gpu.run_until(Cycle{350});
  EXPECT_EQ(log.issues.size(), 8);  // the last three have ended, and one follows another
}

TEST_F(Throttled, PerfSatStartsWithHalfAndFindsTheMinimum) {
  start({"perf-sat", {}}, 8);
  stall({0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.45, 0.5});
  gpu_->launch(Cycle{0}, test_kernel(0, 3000, 100));
  gpu_->run();
  EXPECT_EQ(report().most, 8);
  EXPECT_EQ(report().cap, 6);
  EXPECT_TRUE(report().settled);
  // Half, one more twice, 6, 7 twice; and the totals at the start.
  EXPECT_EQ(report().samples, 7);
  expect_rest();
}

// Section IV-B, paragraph 1. A block takes its 100 cycles and the issue latency of 2. Half of 8 blocks run at
// once, so that 8 blocks end in the time of two. Six samples lead to 6 of them. They are asked for one after
// the other, each as long after the answer to the last as it should last.
TEST_F(Throttled, PerfSatsSampleLastsUntilTheMostBlocksHaveEndedSideBySide) {
  start({"perf-sat", {}}, 8);
  stall({0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.45, 0.5});
  gpu_->launch(Cycle{0}, test_kernel(0, 3000, 100));
  gpu_->run();
  EXPECT_NEAR(static_cast<double>(report().cycles_to_settle), 102 + 6 * 2 * 102, 6 * 8);
  EXPECT_EQ(report().cap, 6);
}

TEST_F(Throttled, PerfSatsSerialSampleLastsTheFirstBlockTimesTheMost) {
  start({"perf-sat", {{"serial", 1.0}}}, 8);
  stall({0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.45, 0.5});
  gpu_->launch(Cycle{0}, test_kernel(0, 3000, 100));
  gpu_->run();
  EXPECT_NEAR(static_cast<double>(report().cycles_to_settle), 102 + 6 * 8 * 102, 6 * 8);
  EXPECT_EQ(report().cap, 6);
}

TEST_F(Throttled, PerfSatsPeriodMultipliesBothSamples) {
  for (const double serial : {0.0, 1.0}) {
    start({"perf-sat", {{"serial", serial}, {"period", 3.0}}}, 8);
    stall({0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.45, 0.5});
    gpu_->launch(Cycle{0}, test_kernel(0, 6000, 100));
    gpu_->run();
    const double blocks = serial != 0 ? 8 : 2;
    EXPECT_NEAR(static_cast<double>(report().cycles_to_settle), 102 + 6 * 3 * blocks * 102, 6 * 8);
  }
}

// Half of 7 is 4, so that 7 blocks end in 7 / 4 of the time of one.
TEST_F(Throttled, PerfSatsSampleIsNoWholeNumberOfBlocks) {
  start({"perf-sat", {}}, 7);
  stall({0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3});
  gpu_->launch(Cycle{0}, test_kernel(0, 3000, 100));
  gpu_->run();
  EXPECT_EQ(report().cap, 7);
  EXPECT_EQ(report().samples, 6);  // 4, 5 twice, 6, 7; and the totals at the start
  EXPECT_NEAR(static_cast<double>(report().cycles_to_settle), 102 + 5 * 178, 5 * 8);
}

TEST_F(Throttled, AGridThatEndsDuringASampleLeavesTheCapUnsettled) {
  start({"perf-sat", {}}, 8);
  stall({0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2});
  gpu_->launch(Cycle{0}, test_kernel(0, 20, 100));
  gpu_->run();
  EXPECT_FALSE(report().settled);
  EXPECT_EQ(report().cap, 5);
  EXPECT_EQ(report().cycles_to_settle, report().cycles);
  expect_rest();
}

TEST_F(Throttled, ALaterLaunchDetectsAgainUnlessThePolicyRemembers) {
  for (const double remember : {0.0, 1.0}) {
    start({"perf-sat", {{"remember", remember}}}, 8);
    stall({0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.45, 0.5});
    gpu_->launch(Cycle{0}, test_kernel(0, 3000, 100));
    gpu_->run();
    const ThrottleReport first = report();
    gpu_->launch(gpu_->now() + 10, test_kernel(0, 3000, 100));
    gpu_->run();
    EXPECT_EQ(report().cap, 6);
    EXPECT_EQ(report().samples, remember != 0 ? 0 : first.samples);
    EXPECT_EQ(report().cycles_to_settle, remember != 0 ? 0 : first.cycles_to_settle);
  }
}

// A launch of 24 blocks ends after two samples. The GPU of this test counts the stalls of a window by the
// blocks at its end, so that samples of 0.8 times their length end while blocks run, and not where some give
// way.
TEST_F(Throttled, ADetectionThatIsRememberedGoesOnFromLaunchToLaunch) {
  for (const double remember : {0.0, 1.0}) {
    start({"perf-sat", {{"remember", remember}, {"period", 0.8}}}, 8);
    stall({0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.45, 0.5});
    std::vector<std::uint32_t> caps;
    for (int launch = 0; launch < 8; ++launch) {
      gpu_->launch(gpu_->now() + 10, test_kernel(0, 24, 100));
      gpu_->run();
      caps.push_back(report().cap);
    }
    EXPECT_EQ(report().settled, remember != 0);
    if (remember == 0) {
      EXPECT_THAT(caps, testing::Each(caps.front()));
      EXPECT_LT(caps.front(), 6U);
    } else {
      EXPECT_EQ(caps.back(), 6U);
      EXPECT_EQ(report().samples, 0U);  // it was settled before
    }
    expect_rest();
  }
}

TEST_F(Throttled, WhatTheKernelsBeforeItMayHaveIsNotLeftForAnother) {
  start({"perf-sat", {}}, 8);
  stall({0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2});
  gpu_->launch(Cycle{0}, test_kernel(0, 3000, 100));
  gpu_->launch(Cycle{0}, test_kernel(1, 20, 100));
  gpu_->run_until(Cycle{200});
  // The first kernel may have four of eight at first. The second starts with half of the other four.
  const MachineView& machine = gpu_->driver().view();
  ASSERT_EQ(machine.sms[0].slices.size(), 2);
  EXPECT_EQ(machine.sms[0].slices[0].cap, 4);
  EXPECT_EQ(machine.sms[0].slices[1].cap, 2);
}

TEST_F(Throttled, WhenTheKernelBeforeItIsGoneAKernelIsDetectedAnewWithAllOfTheSm) {
  start({"perf-sat", {}}, 8);
  stall({0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2});
  gpu_->launch(Cycle{0}, test_kernel(0, 40, 100));
  gpu_->launch(Cycle{0}, test_kernel(1, 3000, 100));
  gpu_->run();
  EXPECT_EQ(report().most, 8);
  EXPECT_EQ(report().cap, 8);
  EXPECT_TRUE(report().settled);
}

TEST_F(Throttled, LcsTakesTheInstructionsUntilTheFirstBlockEndsOverThoseOfThatBlock) {
  start({"lcs", {}}, 8);
  gpu_->perform([](KernelId, std::uint32_t) { return 0.5; });
  gpu_->work_of_blocks(10);
  gpu_->launch(Cycle{0}, test_kernel(0, 100, 100));
  gpu_->run();
  EXPECT_EQ(report().cap, 5);  // about 102 cycles at 0.5 instructions, over 10
  EXPECT_TRUE(report().settled);
}

TEST_F(Throttled, LcsKeepsAllBlocksWhereTheyAllWereNeeded) {
  start({"lcs", {}}, 4);
  gpu_->perform([](KernelId, std::uint32_t) { return 2.0; });
  gpu_->work_of_blocks(10);
  gpu_->launch(Cycle{0}, test_kernel(0, 100, 100));
  gpu_->run();
  EXPECT_EQ(report().cap, 4);
}

TEST_F(Throttled, DynctaStartsWithHalfAndAddsABlockWhileFewCyclesWaitForMemory) {
  start({"dyncta", {}}, 8);
  stall({0, 0, 0, 0, 0.01, 0.02, 0.1, 0.5});  // of 2048 cycles: below 128 up to six blocks, 204 with seven
  gpu_->launch(Cycle{0}, test_kernel(0, 3000, 100));
  gpu_->run();
  EXPECT_EQ(report().cap, 7);
  EXPECT_FALSE(report().settled);
}

TEST_F(Throttled, DynctaPausesTheYoungestBlocksWhileManyCyclesWaitForMemory) {
  start({"dyncta", {}}, 8);
  stall({0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  gpu_->launch(Cycle{0}, test_kernel(0, 3000, 100));
  gpu_->run_until(Cycle{10});
  EXPECT_EQ(gpu_->issuing(SmId{0}, KsrId{0}), 4);
  gpu_->run_until(Cycle{10 + 2 * 2100});
  EXPECT_EQ(gpu_->issuing(SmId{0}, KsrId{0}), 2);
  gpu_->run();
  EXPECT_EQ(report().cap, 1);
}

TEST_F(Throttled, EachSmDecidesForItself) {
  start({"perf-sat", {}}, 4, 3);
  stall({0.9, 0.8, 0.7, 0.6});
  struct Caps final : EngineObserver {
    std::map<std::uint32_t, std::uint32_t> by_sm;
    void slice_throttled(Cycle, SmId sm, KsrId, const ThrottleReport& report) override {
      by_sm[sm.value] = report.cap;
    }
  } caps;
  gpu_->driver().observe(caps);
  gpu_->launch(Cycle{0}, test_kernel(0, 3000, 100));
  gpu_->run();
  EXPECT_THAT(caps.by_sm, ElementsAre(Pair(0, 4), Pair(1, 4), Pair(2, 4)));
}

TEST_F(Throttled, ASliceWhoseDrainIsCancelledIsDetectedOnWithTheSamplesOfTheMeantime) {
  throttle_ = PolicyRegistry<BlockThrottle>::make({"perf-sat", {{"wait", 0.0}}});
  bool is_taken = false;
  Scripted taken([&is_taken](std::size_t, const MachineView& machine, Partition& partition) {
    partition.take(0);
    if (!is_taken && !machine.kernels.empty() && machine.kernels.front().unissued > 0)
      partition.give(0, machine.kernels.front().ksr);
  });
  gpu_ = std::make_unique<FakeGpu>(test_spec(), test_limits(8), 1, taken, *drain_, throttle_.get());
  stall(std::vector<double>(8, 0.5));  // the fourth toggle ends the detection
  gpu_->launch(Cycle{0}, test_kernel(0, 3000, 400));
  // The kernel loses the SM for 150 of 200 cycles, less than a block takes. Changes of a context are
  // scheduling points.
  for (std::uint64_t at = 500; at < 60'000; at += 200) {
    gpu_->run_until(Cycle{at});
    is_taken = true;
    gpu_->set_context(Cycle{at + 1}, ContextId{1}, {0, 0, true});
    gpu_->run_until(Cycle{at + 150});
    is_taken = false;
    gpu_->set_context(Cycle{at + 151}, ContextId{1}, {0, 0, false});
  }
  const auto throttled = gpu_->driver().throttled(gpu_->now());
  ASSERT_EQ(throttled.size(), 1);
  EXPECT_TRUE(throttled.front().second.settled);
  EXPECT_EQ(throttled.front().second.cap, 5);
}

TEST_F(Throttled, ACapOfNothingIsRefused) {
  EXPECT_NE(PolicyCatalogue::instance().misfit("block_throttle", fixed({0}), {}), "");
  EXPECT_EQ(PolicyCatalogue::instance().misfit("block_throttle", fixed({1}), {}), "");
}

TEST_F(Throttled, PoliciesThatReadWarpsAreRefusedOnTimedSms) {
  GpuDescription timed;
  GpuDescription cycle;
  cycle.has_cycle_sms = true;
  for (const char* name : {"perf-sat", "dyncta", "lcs"}) {
    EXPECT_THAT(PolicyCatalogue::instance().misfit("block_throttle", {name, {}}, timed),
                ::testing::HasSubstr(name));
    EXPECT_EQ(PolicyCatalogue::instance().misfit("block_throttle", {name, {}}, cycle), "");
  }
}

}  // namespace
}  // namespace heddle
