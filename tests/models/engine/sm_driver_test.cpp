#include "models/engine/sm_driver.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- waves

struct Waves {
  std::uint64_t blocks;
  std::uint32_t residency;
  std::uint32_t sms;
};

class KernelTime : public testing::TestWithParam<Waves> {};

// The blocks of a wave follow each other cycle by cycle on every SM, and each block is replaced when it ends.
// A kernel therefore lasts W rounds of a block, plus the cycles by which the last block of the fullest SM in
// the last wave starts after the first block of that SM.
TEST_P(KernelTime, IsWavesOfBlocksAndTheStaggerOfTheLast) {
  const auto [blocks, residency, sms] = GetParam();
  const auto policy = make_policy<SmPartitioner>("fcfs-m");
  const auto drain = make_policy<Preemption>("drain");
  for (const std::uint64_t residence : {20, 333}) {
    for (const std::uint64_t issue : {2, 5}) {
      EngineSpec spec = test_spec();
      spec.kernel_launch_latency = 7;
      spec.sm_setup_latency = 9;
      spec.context_register_bytes = 192;
      spec.block_issue_latency = issue;
      FakeGpu gpu(spec, test_limits(residency), sms, *policy, *drain);
      const KernelId kernel = gpu.launch(Cycle{11}, test_kernel(0, blocks, residence));
      gpu.run();
      const std::uint64_t wave = std::uint64_t{sms} * residency;
      const std::uint64_t waves = (blocks + wave - 1) / wave;
      const std::uint64_t last = blocks - (waves - 1) * wave;
      const std::uint64_t set_up = 9 + 24;  // 192 bytes, 8 a cycle
      EXPECT_EQ(gpu.span(kernel).ended - Cycle{11},
                7 + set_up + waves * (issue + residence) + (last + sms - 1) / sms - 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, KernelTime,
                         testing::Values(Waves{1, 1, 1}, Waves{5, 1, 1}, Waves{1, 8, 3}, Waves{3, 1, 4},
                                         Waves{4, 1, 4}, Waves{5, 1, 4}, Waves{12, 3, 4}, Waves{13, 3, 4},
                                         Waves{23, 3, 4}, Waves{24, 3, 4}, Waves{100, 16, 13},
                                         Waves{1000, 16, 13}, Waves{7, 2, 3}));

// ---- placement

TEST_F(SmDriverTest, BreadthPlacementDealsBlocksRoundRobinOnePerSmAndCycle) {
  Log log(gpu(test_spec(), 3, 3, *fcfs_));
  gpu_->launch(Cycle{0}, test_kernel(0, 5, 50));
  gpu_->run();
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "5 sm1 k0 b1", "5 sm2 k0 b2", "6 sm0 k0 b3", "6 sm1 k0 b4"));
}

TEST_F(SmDriverTest, AllSmsTogetherGetAtMostABlockAnInterval) {
  EngineSpec spec = test_spec();
  spec.block_interval = 1500;  // two blocks in three cycles
  Log log(gpu(spec, 3, 3, *fcfs_));
  gpu_->launch(Cycle{0}, test_kernel(0, 5, 50));
  gpu_->run();
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm1 k0 b1", "8 sm2 k0 b2", "9 sm0 k0 b3", "11 sm1 k0 b4"));
}

TEST_F(SmDriverTest, TheNextTurnStartsAfterTheSmThatHadABlockLast) {
  Log log(gpu(test_spec(), 1, 3, *fcfs_));
  gpu_->launch(Cycle{0}, test_kernel(0, 7, 10));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "5 sm1 k0 b1", "5 sm2 k0 b2", "17 sm0 k0 b3",
                                      "17 sm1 k0 b4", "17 sm2 k0 b5", "29 sm0 k0 b6"));
}

TEST_F(SmDriverTest, AnotherKernelsBlockMovesTheTurnToo) {
  Scripted policy([](std::size_t call, const MachineView&, Partition& partition) {
    if (call > 0) return;
    for (const std::uint32_t sm : {0, 1, 2}) partition.give(sm, KsrId{sm % 2});
  });
  Log log(gpu(test_spec(), 1, 3, policy));
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 20));
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 10));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "5 sm1 k1 b0", "5 sm2 k0 b1", "17 sm1 k1 b1",
                                      "27 sm2 k0 b2"));  // SM 0 is free as well, but SM 1 had the last block
}

TEST_F(SmDriverTest, AKernelGetsTheFreeSmWithTheLowestNumberOrTheNextOne) {
  for (const SmOrder order : {SmOrder::kLowest, SmOrder::kNext}) {
    EngineSpec spec = test_spec();
    spec.sm_order = order;
    Log log(gpu(spec, 1, 3, *fcfs_));
    for (std::uint64_t i = 0; i < 4; ++i) gpu_->launch(Cycle{100 * i}, test_kernel(0, 1, 10));
    gpu_->run();
    std::string sms;
    for (const std::string& issue : log.issues) sms += issue.substr(issue.find("sm"), 4);
    EXPECT_EQ(sms, order == SmOrder::kLowest ? "sm0 sm0 sm0 sm0 " : "sm0 sm1 sm2 sm0 ");
  }
}

TEST_F(SmDriverTest, PackedPlacementFillsAnSmBeforeTheNext) {
  EngineSpec spec = test_spec();
  spec.block_placement = BlockPlacement::kPacked;
  Log log(gpu(spec, 3, 3, *fcfs_));
  const KernelId kernel = gpu_->launch(Cycle{0}, test_kernel(0, 5, 50));
  gpu_->run();
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "7 sm0 k0 b2", "8 sm1 k0 b3", "9 sm1 k0 b4"));
  EXPECT_EQ(gpu_->span(kernel).ended, Cycle{9 + 52});
  EXPECT_THAT(log.slices, testing::Contains("9 sm2 k0 freed"));  // the kernel never has a block on SM 2
}

TEST_F(SmDriverTest, PackedPlacementSleepsOnceEverySmIsFull) {
  EngineSpec spec = test_spec();
  spec.block_placement = BlockPlacement::kPacked;
  gpu(spec, 2, 2, *fcfs_);
  gpu_->launch(Cycle{0}, test_kernel(0, 8, 500));
  gpu_->run_until(Cycle{8});  // blocks 0 to 3 are issued in cycles 5 to 8
  EXPECT_EQ(counter("blocks_issued"), 4);
  EXPECT_EQ(gpu_->driver().next_step(Cycle{8}), Cycle::never());
  gpu_->run();
  // The steps are the load, the activation, the end of set-up with three more blocks, and twice four ends of
  // blocks.
  EXPECT_EQ(gpu_->steps(), 1 + 1 + 1 + 3 + 4 + 4);
  expect_rest();
}

TEST_F(SmDriverTest, PackedPlacementServesTwoKernelsInOneCycle) {
  EngineSpec spec = test_spec();
  spec.block_placement = BlockPlacement::kPacked;
  const auto spatial = make_policy<SmPartitioner>("spatial");
  Log log(gpu(spec, 2, 2, *spatial));
  gpu_->launch(Cycle{0}, test_kernel(0, 2, 50));
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 50));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "5 sm1 k1 b0", "6 sm0 k0 b1", "6 sm1 k1 b1"));
}

// ---- KSRs, scheduling points and sleep

TEST_F(SmDriverTest, LaunchesBeyondTheKsrsWaitForOneToBeFree) {
  gpu(test_spec(2), 1, 2, *fcfs_);
  const KernelId a = gpu_->launch(Cycle{0}, test_kernel(0, 1, 10));
  const KernelId b = gpu_->launch(Cycle{0}, test_kernel(0, 1, 30));
  const KernelId c = gpu_->launch(Cycle{0}, test_kernel(0, 1, 10));
  EXPECT_TRUE(gpu_->driver().can_load());
  gpu_->run_until(Cycle{0});
  EXPECT_FALSE(gpu_->driver().can_load());
  gpu_->run();
  EXPECT_EQ(gpu_->span(a).ended, Cycle{17});
  EXPECT_EQ(gpu_->span(c).loaded, Cycle{17});
  EXPECT_EQ(gpu_->span(c).ended, Cycle{17 + 17});
  EXPECT_EQ(gpu_->span(b).ended, Cycle{37});
}

TEST_F(SmDriverTest, EndedKernelsAreHandedOutInOrderOfTheirEnd) {
  gpu(test_spec(), 1, 2, *fcfs_);
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 30));
  gpu_->launch(Cycle{0}, test_kernel(3, 1, 10));
  gpu_->run();
  ASSERT_EQ(gpu_->driver().ended().size(), 2);
  EXPECT_EQ(gpu_->driver().ended()[0].kernel, KernelId{1});
  EXPECT_EQ(gpu_->driver().ended()[0].context, ContextId{3});
  EXPECT_EQ(gpu_->driver().ended()[1].kernel, KernelId{0});
}

TEST_F(SmDriverTest, AsksThePartitionerOnlyAtSchedulingPoints) {
  Scripted policy([](std::size_t, const MachineView& machine, Partition& partition) {
    if (!machine.kernels.empty()) partition.give(0, KsrId{0});
  });
  gpu(test_spec(), 1, 1, policy);
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 10));
  gpu_->run();
  // The kernel arrived; the kernel ended and left its SM idle.
  EXPECT_EQ(policy.calls(), 2);
  EXPECT_EQ(counter("scheduling_points"), 2);
  EXPECT_EQ(gpu_->steps(), 6);  // loaded, active, set up, three blocks done
}

TEST_F(SmDriverTest, AChangedShareIsASchedulingPointOfTheNextStep) {
  gpu(test_spec(), 1, 1, *fcfs_);
  EXPECT_EQ(gpu_->driver().next_step(Cycle{6}), Cycle::never());
  gpu_->driver().set_context(ContextId{2}, {7, 3});
  EXPECT_EQ(gpu_->driver().next_step(Cycle{6}), Cycle{7});
  EXPECT_EQ(gpu_->driver().view().contexts[2].priority, 7);
  gpu_->driver().step(Cycle{7});
  EXPECT_EQ(gpu_->driver().next_step(Cycle{7}), Cycle::never());
}

TEST_F(SmDriverTest, AKernelIsSeenWithItsDriversOwnNumber) {
  gpu(test_spec(), 1, 1, *fcfs_);
  KernelLaunch launch = test_kernel(1, 1, 10);
  launch.tag = 7;
  gpu_->launch(Cycle{0}, launch);
  gpu_->run_until(Cycle{3});
  ASSERT_EQ(gpu_->driver().view().kernels.size(), 1);
  EXPECT_EQ(gpu_->driver().view().kernels[0].tag, 7);
}

TEST_F(SmDriverTest, ADecisionThatChangesNothingCausesNoFurtherStep) {
  gpu(test_spec(), 1, 2, *fcfs_);
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 20));
  gpu_->run_until(Cycle{27});  // the third block goes to SM 0, SM 1 falls idle
  EXPECT_EQ(counter("scheduling_points"), 2);
  EXPECT_EQ(gpu_->driver().next_step(Cycle{27}), Cycle::never());
  gpu_->run();
}

TEST_F(SmDriverTest, TheLaunchLatencyIsTheOnlyThingALoadedKernelWaitsFor) {
  EngineSpec spec = test_spec();
  spec.kernel_launch_latency = 100;
  gpu(spec, 1, 1, *fcfs_);
  gpu_->launch(Cycle{3}, test_kernel(0, 1, 10));
  gpu_->run_until(Cycle{3});
  EXPECT_EQ(gpu_->driver().next_step(Cycle{3}), Cycle{103});
  EXPECT_THAT(gpu_->driver().view().kernels, IsEmpty());
  gpu_->run_until(Cycle{103});
  EXPECT_EQ(gpu_->driver().view().kernels.size(), 1);
}

// ---- broken contracts

template <class Call>
std::string broken(Call call) {
  try {
    call();
  } catch (const InvariantError& error) {
    return error.what();
  }
  return "nothing broken";
}

TEST_F(SmDriverTest, ALaunchThatCannotRunIsRefused) {
  gpu(test_spec(), 1, 1, *fcfs_);
  SmDriver& driver = gpu_->driver();
  EXPECT_THAT(broken([&] { driver.load(Cycle{9}, test_kernel(0, 0, 10)); }),
              HasSubstr("execution engine, cycle 9: kernel"));
  EXPECT_THAT(broken([&] { driver.load(Cycle{9}, test_kernel(0, 1, 10, 2048)); }),
              HasSubstr("does not fit an SM"));
  EXPECT_THAT(broken([&] { driver.load(Cycle{9}, test_kernel(4, 1, 10)); }), HasSubstr("context 4 of 4"));
  EXPECT_TRUE(driver.idle());
}

TEST_F(SmDriverTest, APartitionerThatGivesAnSmToAKernelWithoutBlocksIsStopped) {
  Scripted stranger(
      [](std::size_t, const MachineView&, Partition& partition) { partition.give(0, KsrId{3}); });
  gpu(test_spec(), 1, 1, stranger).launch(Cycle{0}, test_kernel(0, 1, 10));
  EXPECT_THAT(broken([&] { gpu_->run(); }), HasSubstr("cycle 1: SM 0 was given to KSR 3"));
  Scripted late(
      [](std::size_t call, const MachineView&, Partition& partition) { partition.give(call, KsrId{0}); });
  gpu(test_spec(), 1, 2, late).launch(Cycle{0}, test_kernel(0, 1, 10));
  gpu_->set_context(Cycle{8}, ContextId{0}, {});
  EXPECT_THAT(broken([&] { gpu_->run(); }), HasSubstr("cycle 8: SM 1 was given to KSR 0"));
}

// A partitioner that keeps the only SM from every kernel until a cycle for which it asks.
class Late final : public SmPartitioner {
 public:
  explicit Late(Cycle from) : from_(from) {}
  void partition(const MachineView& machine, Partition& partition) override {
    asked.push_back(machine.now.value);
    due_ = machine.now < from_ && !machine.kernels.empty() ? from_ : Cycle::never();
    for (const KernelView& kernel : machine.kernels)
      if (due_ == Cycle::never() && kernel.unissued > 0) partition.give(0, kernel.ksr);
  }
  Cycle next_decision() const override { return due_; }
  std::vector<std::uint64_t> asked;

 private:
  const Cycle from_;
  Cycle due_ = Cycle::never();
};

TEST_F(SmDriverTest, ThePartitionerIsAskedInTheCycleThatItAskedFor) {
  Late policy(Cycle{50});
  FakeGpu& gpu = this->gpu(test_spec(), 1, 1, policy);
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 1, 30));
  gpu.run();
  // The kernel becomes active in cycle 1. Its slice ends with its last issue in cycle 54, and it ends in 86.
  EXPECT_EQ(policy.asked, (std::vector<std::uint64_t>{1, 50, 86}));
  EXPECT_EQ(log.issues, std::vector<std::string>{"54 sm0 k0 b0"});
  expect_rest();
}

TEST_F(SmDriverTest, APartitionerThatAsksForThePastIsStopped) {
  class Past final : public SmPartitioner {
   public:
    void partition(const MachineView& machine, Partition&) override { now_ = machine.now; }
    Cycle next_decision() const override { return now_; }

   private:
    Cycle now_;
  } policy;
  FakeGpu& gpu = this->gpu(test_spec(), 1, 1, policy);
  gpu.launch(Cycle{0}, test_kernel(0, 1, 30));
  EXPECT_THROW(gpu.run(), InvariantError);
}

TEST_F(SmDriverTest, AnAnswerToNothingIsNoticed) {
  gpu(test_spec(), 1, 2, *fcfs_).launch(Cycle{0}, test_kernel(0, 1, 10));
  gpu_->run_until(Cycle{5});
  SmDriver& driver = gpu_->driver();
  EXPECT_THAT(broken([&] { driver.sm_ready(Cycle{6}, SmId{0}, KsrId{0}); }),
              HasSubstr("SM 0 answered no set-up"));
  EXPECT_THAT(broken([&] { driver.block_done(Cycle{6}, SmId{1}, KsrId{0}, BlockId{0}); }),
              HasSubstr("SM 1 finished block 0 it never had"));
}

// ---- random schedules

struct Trace {
  std::vector<std::string> slices, issues;
  std::uint64_t steps = 0;
};

Trace trace_of(const Schedule& schedule, const std::string& name, bool every_cycle) {
  const auto policy = make_policy<SmPartitioner>(name);
  const auto drain = make_policy<Preemption>("drain");
  FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
  if (every_cycle) gpu.step_every_cycle();
  if (policy->shares_sms()) gpu.share_sms();
  gpu.driver().set_core_hz(50e3);  // a slice of 2 ms is one of 100 cycles
  Log log(gpu);
  schedule.feed(gpu);
  gpu.run();
  return {std::move(log.slices), std::move(log.issues), gpu.steps()};
}

TEST(SmDriverProperty, SleepingUntilTheNextStepChangesNothing) {
  const std::vector<std::string> names = PolicyCatalogue::instance().names("sm_partitioner");
  std::uint64_t steps = 0;
  std::uint64_t cycles = 0;
  for (std::uint64_t seed = 0; seed < cases(600); ++seed) {
    const Schedule schedule = random_schedule(seed);
    const std::string& name = names[seed % names.size()];
    SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
    const Trace slept = trace_of(schedule, name, false);
    const Trace stepped = trace_of(schedule, name, true);
    ASSERT_EQ(slept.slices, stepped.slices);
    ASSERT_EQ(slept.issues, stepped.issues);
    steps += slept.steps;
    cycles += stepped.steps;
  }
  EXPECT_LT(2 * steps, cycles);
}

// Every step has a cause: an input, a kernel to activate, a block to issue, or a decision in the previous
// step.
TEST(SmDriverProperty, StepsAreBoundedByWhatHappens) {
  for (std::uint64_t seed = 0; seed < cases(600); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = random_schedule(seed);
    const Trace trace = trace_of(schedule, "token", false);
    ASSERT_LE(trace.steps, 2 * trace.issues.size() + trace.slices.size() + 2 * schedule.arrivals.size() + 1);
  }
}

}  // namespace
}  // namespace heddle
