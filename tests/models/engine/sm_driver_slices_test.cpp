// The lifetime of slices: drains, set-ups, quotas, and several slices on one SM.

#include "models/engine/sm_driver.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ---- handing over

// Gives SM 0 to the youngest kernel, from the call on in which that kernel appears.
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

// The second of two kernels has SM 0 at the second scheduling point only.
void second_for_one_call(std::size_t call, const MachineView& machine, Partition& partition) {
  if (!machine.kernels.empty()) partition.give(0, call == 1 ? KsrId{1} : machine.kernels.front().ksr);
}

TEST_F(SmDriverTest, AnSmGivenBackWithRoomGetsItsNextBlockInTheSameCycle) {
  Scripted policy(second_for_one_call);
  Log log(gpu(test_spec(), 3, 1, policy));
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 40));
  gpu_->launch(Cycle{5}, test_kernel(1, 1, 10));  // active at 6, when one block has been issued
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
  // k1 has SM 1 and waits for SM 0, which k0 is leaving. The last block of k1 goes to SM 1.
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
  // k0 has a quota of one and the first turn. k1 has the other slot, and both slots while k0 has no slice.
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

}  // namespace
}  // namespace heddle
