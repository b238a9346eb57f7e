#include "models/engine/sm_driver.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/schedules.h"
#include "tests/support/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Launch latency 1, set-up 4, block issue 2.
EngineSpec test_spec(std::uint32_t ksrs = 4) {
  EngineSpec spec;
  spec.contexts = 4;
  spec.ksrs = ksrs;
  spec.sm_setup_latency = 4;
  return spec;
}

// Decides by a function of the call's number, counted from 0.
class Scripted final : public SmPartitioner {
 public:
  using Script = std::function<void(std::size_t call, const MachineView&, Partition&)>;
  explicit Scripted(Script script) : script_(std::move(script)) {}
  void partition(const MachineView& machine, Partition& partition) override {
    script_(calls_++, machine, partition);
  }
  std::size_t calls() const { return calls_; }

 private:
  Script script_;
  std::size_t calls_ = 0;
};

class Log final : public EngineObserver {
 public:
  explicit Log(FakeGpu& gpu) { gpu.driver().observe(*this); }
  std::vector<std::string> slices, issues;

  void slice_event(Cycle now, SliceEvent event, SmId sm, KsrId ksr) override {
    static const char* const kNames[] = {"reserved", "set up", "running", "leaving", "returned", "freed"};
    slices.push_back(
        fmt::format("{} sm{} k{} {}", now.value, sm.value, ksr.value, kNames[static_cast<int>(event)]));
  }
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override {
    issues.push_back(fmt::format("{} sm{} k{} b{}", now.value, sm.value, ksr.value, block.value));
  }
};

class SmDriverTest : public testing::Test {
 protected:
  FakeGpu& gpu(const EngineSpec& spec, std::uint32_t slots, std::uint32_t sms, SmPartitioner& partitioner) {
    gpu_ = std::make_unique<FakeGpu>(spec, test_limits(slots), sms, partitioner, *drain_);
    return *gpu_;
  }
  std::uint64_t counter(const std::string& name) {
    const Counter* found = gpu_->driver().stats().find("driver." + name);
    return found == nullptr ? ~std::uint64_t{0} : found->value();
  }
  void expect_rest() {
    EXPECT_TRUE(gpu_->driver().idle());
    EXPECT_EQ(gpu_->driver().next_step(gpu_->now()), Cycle::never());
  }

  std::unique_ptr<SmPartitioner> fcfs_ = make_policy<SmPartitioner>("fcfs-m");
  std::unique_ptr<Preemption> drain_ = make_policy<Preemption>("drain");
  std::unique_ptr<FakeGpu> gpu_;
};

// ---- waves

struct Waves {
  std::uint64_t blocks;
  std::uint32_t residency;
  std::uint32_t sms;
};

class KernelTime : public testing::TestWithParam<Waves> {};

// The blocks of a wave follow each other cycle by cycle on every SM, and each is replaced as it ends; so a
// kernel lasts W rounds of a block and what the last wave's fullest SM is behind its first block.
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

TEST_F(SmDriverTest, PackedPlacementFillsAnSmBeforeTheNext) {
  EngineSpec spec = test_spec();
  spec.block_placement = BlockPlacement::kPacked;
  Log log(gpu(spec, 3, 3, *fcfs_));
  const KernelId kernel = gpu_->launch(Cycle{0}, test_kernel(0, 5, 50));
  gpu_->run();
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "7 sm0 k0 b2", "8 sm1 k0 b3", "9 sm1 k0 b4"));
  EXPECT_EQ(gpu_->span(kernel).ended, Cycle{9 + 52});
  EXPECT_THAT(log.slices, testing::Contains("9 sm2 k0 freed"));  // it never had a block, nor will it
}

TEST_F(SmDriverTest, PackedPlacementSleepsOnceEverySmIsFull) {
  EngineSpec spec = test_spec();
  spec.block_placement = BlockPlacement::kPacked;
  gpu(spec, 2, 2, *fcfs_);
  gpu_->launch(Cycle{0}, test_kernel(0, 8, 500));
  gpu_->run_until(Cycle{8});  // blocks 0 to 3 at 5 to 8
  EXPECT_EQ(counter("blocks_issued"), 4);
  EXPECT_EQ(gpu_->driver().next_step(Cycle{8}), Cycle::never());
  gpu_->run();
  // Load, activation, set-up done and three more blocks; then four ends of blocks, twice.
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

// ---- handing over

// Gives SM 0 to the youngest kernel from the call on in which it appears.
void youngest(std::size_t, const MachineView& machine, Partition& partition) {
  for (const KernelView& kernel : machine.kernels)
    if (kernel.unissued > 0) partition.give(0, kernel.ksr);
}

TEST_F(SmDriverTest, ADrainedSmIsSetUpForTheNextKernelAsItsLastBlockEnds) {
  Scripted policy(youngest);
  Log log(gpu(test_spec(), 2, 1, policy));
  gpu_->launch(Cycle{0}, test_kernel(0, 4, 20));
  gpu_->launch(Cycle{9}, test_kernel(1, 1, 10));
  gpu_->run();
  EXPECT_THAT(log.slices,
              ElementsAre("1 sm0 k0 set up", "5 sm0 k0 running", "10 sm0 k0 leaving", "10 sm0 k1 reserved",
                          "28 sm0 k0 freed", "28 sm0 k1 set up", "32 sm0 k1 running",
                          // the only block of k1 is issued, so k0 reserves the SM at the next point: its end
                          "44 sm0 k1 freed", "44 sm0 k0 set up", "48 sm0 k0 running", "71 sm0 k0 freed"));
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "32 sm0 k1 b0", "48 sm0 k0 b2", "49 sm0 k0 b3"));
  EXPECT_EQ(counter("drains"), 1);
  EXPECT_EQ(counter("set_ups"), 3);
  EXPECT_EQ(counter("kernels"), 2);
  EXPECT_EQ(counter("blocks_done"), 5);
  expect_rest();
}

TEST_F(SmDriverTest, ADrainThatIsCalledOffGivesTheSmBackWithoutASetUp) {
  Scripted policy([](std::size_t call, const MachineView&, Partition& partition) {
    if (call <= 2) partition.give(0, KsrId{call == 1 ? 1u : 0u});
    if (call == 3) partition.give(0, KsrId{1});
  });
  Log log(gpu(test_spec(), 1, 1, policy));
  gpu_->launch(Cycle{0}, test_kernel(0, 2, 20));
  gpu_->launch(Cycle{9}, test_kernel(1, 1, 10));
  gpu_->set_context(Cycle{15}, ContextId{0}, {});  // a scheduling point
  gpu_->run();
  EXPECT_THAT(log.slices,
              ElementsAre("1 sm0 k0 set up", "5 sm0 k0 running", "10 sm0 k0 leaving", "10 sm0 k1 reserved",
                          "15 sm0 k0 returned", "15 sm0 k1 freed", "49 sm0 k0 freed", "49 sm0 k1 set up",
                          "53 sm0 k1 running", "65 sm0 k1 freed"));
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "27 sm0 k0 b1", "53 sm0 k1 b0"));
}

// Two kernels of which the second has SM 0 at the second scheduling point only.
void second_for_one_call(std::size_t call, const MachineView& machine, Partition& partition) {
  if (!machine.kernels.empty()) partition.give(0, call == 1 ? KsrId{1} : machine.kernels.front().ksr);
}

TEST_F(SmDriverTest, AnSmGivenBackWithRoomGetsItsNextBlockInTheSameCycle) {
  Scripted policy(second_for_one_call);
  Log log(gpu(test_spec(), 3, 1, policy));
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 40));
  gpu_->launch(Cycle{5}, test_kernel(1, 1, 10));  // active at 6, when one block is there
  gpu_->set_context(Cycle{15}, ContextId{0}, {});
  gpu_->run_until(Cycle{20});
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "15 sm0 k0 b1", "16 sm0 k0 b2"));
  gpu_->run();
}

TEST_F(SmDriverTest, AnSmGivenBackDuringItsSetUpWaitsForTheAnswer) {
  Scripted policy(second_for_one_call);
  Log log(gpu(test_spec(), 1, 1, policy));
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 40));
  gpu_->launch(Cycle{1}, test_kernel(1, 1, 10));
  gpu_->set_context(Cycle{3}, ContextId{0}, {});
  gpu_->run_until(Cycle{20});
  EXPECT_THAT(log.slices, ElementsAre("1 sm0 k0 set up", "2 sm0 k0 leaving", "2 sm0 k1 reserved",
                                      "3 sm0 k0 returned", "3 sm0 k1 freed", "5 sm0 k0 running"));
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0"));
  gpu_->run();
}

TEST_F(SmDriverTest, ASetUpThatIsNoLongerWantedIsWaitedOutBeforeTheNext) {
  Scripted policy(youngest);
  Log log(gpu(test_spec(), 1, 1, policy));
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 20));
  gpu_->launch(Cycle{2}, test_kernel(1, 1, 10));
  gpu_->run();
  EXPECT_THAT(log.slices,
              ElementsAre("1 sm0 k0 set up", "3 sm0 k0 leaving", "3 sm0 k1 reserved", "5 sm0 k0 freed",
                          "5 sm0 k1 set up", "9 sm0 k1 running", "21 sm0 k1 freed", "21 sm0 k0 set up",
                          "25 sm0 k0 running", "47 sm0 k0 freed"));
}

TEST_F(SmDriverTest, AnSmReadyForAKernelThatLosesItInTheSameCycleIsHandedOverAtOnce) {
  Scripted policy(youngest);
  Log log(gpu(test_spec(), 1, 1, policy));
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 20));
  gpu_->launch(Cycle{4}, test_kernel(1, 1, 10));
  gpu_->run_until(Cycle{5});
  EXPECT_THAT(log.slices, ElementsAre("1 sm0 k0 set up", "5 sm0 k0 running", "5 sm0 k0 leaving",
                                      "5 sm0 k1 reserved", "5 sm0 k0 freed", "5 sm0 k1 set up"));
  EXPECT_THAT(log.issues, IsEmpty());
  gpu_->run();
}

TEST_F(SmDriverTest, APromiseToAKernelThatHasNoBlockLeftIsVoidAtTheNextSchedulingPoint) {
  // k1 has SM 1 and waits for SM 0, which k0 is leaving; its last block goes to SM 1.
  Scripted policy([](std::size_t call, const MachineView&, Partition& partition) {
    if (call == 0) partition.give(0, KsrId{0});
    if (call != 1) return;
    partition.give(0, KsrId{1});
    partition.give(1, KsrId{1});
  });
  Log log(gpu(test_spec(), 2, 2, policy));
  gpu_->launch(Cycle{0}, test_kernel(0, 2, 100));
  gpu_->launch(Cycle{9}, test_kernel(1, 2, 100));
  gpu_->set_context(Cycle{30}, ContextId{0}, {});
  gpu_->run_until(Cycle{30});
  EXPECT_THAT(log.slices,
              ElementsAre("1 sm0 k0 set up", "5 sm0 k0 running", "10 sm0 k0 leaving", "10 sm0 k1 reserved",
                          "10 sm1 k1 set up", "14 sm1 k1 running", "30 sm0 k1 freed"));
  gpu_->run();
}

TEST_F(SmDriverTest, AKernelMayEndWhileAnotherOfItsSmsIsBeingSetUp) {
  EngineSpec spec = test_spec(1);
  spec.sm_setup_latency = 50;
  Scripted policy([](std::size_t call, const MachineView&, Partition& partition) {
    if (call <= 1) partition.give(call, KsrId{0});
    if (call == 4) partition.give(0, KsrId{0});
  });
  Log log(gpu(spec, 2, 2, policy));
  const KernelId first = gpu_->launch(Cycle{0}, test_kernel(0, 2, 5));
  const KernelId next = gpu_->launch(Cycle{0}, test_kernel(0, 1, 5));
  gpu_->set_context(Cycle{40}, ContextId{0}, {});
  gpu_->run();
  EXPECT_THAT(log.slices, ElementsAre("1 sm0 k0 set up", "40 sm1 k0 set up", "51 sm0 k0 running",
                                      "59 sm0 k0 freed", "59 sm1 k0 leaving", "90 sm1 k0 freed",
                                      "91 sm0 k0 set up", "141 sm0 k0 running", "148 sm0 k0 freed"));
  EXPECT_EQ(gpu_->span(first).ended, Cycle{59});
  EXPECT_EQ(gpu_->span(next).loaded, Cycle{90});  // the only KSR is busy until the set-up has been answered
  EXPECT_EQ(counter("drains"), 0);
  expect_rest();
}

// ---- quotas and slices

TEST_F(SmDriverTest, AQuotaLimitsTheResidentBlocks) {
  Scripted policy([](std::size_t, const MachineView& machine, Partition& partition) {
    if (!machine.kernels.empty()) partition.slices(0).assign(1, Slice{KsrId{0}, 2});
  });
  gpu(test_spec(), 4, 1, policy);
  const KernelId kernel = gpu_->launch(Cycle{0}, test_kernel(0, 8, 20));
  gpu_->run_until(Cycle{20});
  EXPECT_EQ(counter("blocks_issued"), 2);
  EXPECT_EQ(gpu_->driver().next_step(Cycle{20}), Cycle::never());
  gpu_->run();
  EXPECT_EQ(gpu_->span(kernel).ended, Cycle{5 + 4 * 22 + 1});  // four waves of two
}

TEST_F(SmDriverTest, ARaisedQuotaIsFilledAtOnceAndALoweredOneStopsRefills) {
  std::uint32_t quota = 1;
  Scripted policy([&quota](std::size_t, const MachineView& machine, Partition& partition) {
    if (!machine.kernels.empty()) partition.slices(0).assign(1, Slice{KsrId{0}, quota});
  });
  Log log(gpu(test_spec(), 4, 1, policy));
  gpu_->launch(Cycle{0}, test_kernel(0, 5, 20));
  gpu_->run_until(Cycle{10});
  quota = 3;
  gpu_->set_context(Cycle{15}, ContextId{0}, {});
  gpu_->run_until(Cycle{16});
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "15 sm0 k0 b1", "16 sm0 k0 b2"));
  quota = 1;
  gpu_->set_context(Cycle{20}, ContextId{0}, {});
  gpu_->run();
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "15 sm0 k0 b1", "16 sm0 k0 b2", "38 sm0 k0 b3", "60 sm0 k0 b4"));
  EXPECT_EQ(counter("drains"), 0);
}

TEST_F(SmDriverTest, TwoSlicesShareAnSmInTheirOrderAndWithinWhatFits) {
  Scripted policy([](std::size_t, const MachineView& machine, Partition& partition) {
    partition.take(0);
    for (const KernelView& kernel : machine.kernels)
      if (kernel.unissued + kernel.running > 0)
        partition.slices(0).push_back({kernel.ksr, kernel.ksr.value + 1});
  });
  Log log(gpu(test_spec(), 2, 1, policy));
  gpu_->share_sms();
  gpu_->launch(Cycle{0}, test_kernel(0, 2, 50));
  gpu_->launch(Cycle{0}, test_kernel(1, 3, 20));
  gpu_->run();
  // k0 has a quota of one and the first turn, k1 the slot that is left, and both slots while k0 is gone.
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm0 k1 b0", "28 sm0 k1 b1", "50 sm0 k1 b2", "57 sm0 k0 b1"));
  EXPECT_EQ(counter("set_ups"), 2);
  EXPECT_EQ(counter("drains"), 0);
  expect_rest();
}

TEST_F(SmDriverTest, OneOfTwoSlicesIsDrainedAndTheOtherGoesOn) {
  Scripted policy([](std::size_t call, const MachineView& machine, Partition& partition) {
    partition.take(0);
    for (const KernelView& kernel : machine.kernels)
      if (call < 2 || kernel.ksr == KsrId{1} || machine.kernels.size() == 1)
        if (kernel.unissued + kernel.running > 0) partition.slices(0).push_back({kernel.ksr, 1});
  });
  Log log(gpu(test_spec(), 2, 1, policy));
  gpu_->share_sms();
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 20));
  gpu_->launch(Cycle{1}, test_kernel(1, 2, 20));
  gpu_->set_context(Cycle{10}, ContextId{0}, {});
  gpu_->run();
  EXPECT_THAT(log.slices,
              ElementsAre("1 sm0 k0 set up", "2 sm0 k1 set up", "5 sm0 k0 running", "6 sm0 k1 running",
                          "10 sm0 k0 leaving", "27 sm0 k0 freed", "50 sm0 k1 freed", "50 sm0 k0 set up",
                          "54 sm0 k0 running", "98 sm0 k0 freed"));
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm0 k1 b0", "28 sm0 k1 b1", "54 sm0 k0 b1", "76 sm0 k0 b2"));
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
  EXPECT_EQ(policy.calls(), 2);  // it came; it ended and left its SM idle
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

// Every step has a cause: an input, a kernel to activate, a block to issue, or the step after a decision.
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
