#include <gmock/gmock.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

class LeftOver : public SmDriverTest {
 protected:
  Log start(std::uint32_t slots, std::uint32_t sms) { return SmDriverTest::start("left-over", slots, sms); }
  FakeGpu& one_context(std::uint32_t slots, std::uint32_t sms) {
    FakeGpu& gpu = this->gpu(test_spec(), slots, sms, *one_);
    gpu.share_sms();
    return gpu;
  }
  std::unique_ptr<SmPartitioner> policy_ = make_policy<SmPartitioner>("left-over");
  std::unique_ptr<SmPartitioner> one_ =
      PolicyRegistry<SmPartitioner>::make({"left-over", {{"contexts", std::string("one")}}});
};

TEST_F(LeftOver, EveryKernelHasEverySmInOrderOfArrival) {
  TestMachine machine(2, {{}, {}});
  machine.kernel(1, 9);
  machine.kernel(0, 9);
  machine.kernel(0, 0);
  EXPECT_THAT(machine.slices(*policy_), ElementsAre("0:* 1:*", "0:* 1:*"));
}

TEST_F(LeftOver, TheNextKernelHasWhatTheFirstLeavesBlockByBlock) {
  const Log log = start(4, 1);
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 20));
  gpu_->launch(Cycle{0}, test_kernel(1, 4, 50));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "7 sm0 k0 b2", "8 sm0 k1 b0",
                                      "27 sm0 k1 b1", "28 sm0 k1 b2", "29 sm0 k1 b3"));
  EXPECT_EQ(counter("drains"), 0);
  expect_rest();
}

TEST_F(LeftOver, AYoungerKernelWaitsForTheLastBlockOfTheOlderThoughItWouldFit) {
  const Log log = start(4, 1);
  gpu_->launch(Cycle{0}, test_kernel(0, 2, 20, 640));
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 50));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "27 sm0 k0 b1", "28 sm0 k1 b0", "29 sm0 k1 b1"));
}

TEST_F(LeftOver, WithTheLastBlockOfTheOlderEverySmIsOpenToTheYounger) {
  const Log log = start(2, 2);
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 20, 640));
  gpu_->launch(Cycle{0}, test_kernel(0, 2, 90, 640));
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 50));
  gpu_->run();
  // SM 1 has had room beside its block of k1 since cycle 5, and nothing changes there at 27.
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "5 sm1 k1 b0", "27 sm0 k1 b1", "27 sm1 k2 b0", "28 sm0 k2 b1"));
}

TEST_F(LeftOver, AKernelThatArrivesLaterTakesNothingFromOneThatHasIssued) {
  const Log log = start(2, 1);
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 50));
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 20));
  gpu_->launch(Cycle{9}, test_kernel(1, 1, 10));
  gpu_->run();
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm0 k1 b0", "28 sm0 k1 b1", "50 sm0 k1 b2", "57 sm0 k2 b0"));
}

TEST_F(LeftOver, WithOneContextOnlyItsKernelsHaveSmsAndThoseBehindAnotherContextWait) {
  TestMachine machine(2, {{}, {}});
  machine.kernel(0, 9);
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  machine.kernel(0, 9);
  EXPECT_THAT(machine.slices(*one_), ElementsAre("0:* 1:*", "0:* 1:*"));
}

TEST_F(LeftOver, WithOneContextTwoOfItsKernelsRunSideBySideAndAnotherOneFollows) {
  FakeGpu& gpu = one_context(4, 1);
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 2, 20));
  gpu.launch(Cycle{0}, test_kernel(0, 1, 50));
  gpu.launch(Cycle{0}, test_kernel(1, 1, 10));
  gpu.run();
  // The last block of the first context ends in cycle 7 + 52, and a set-up takes 4 cycles.
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "7 sm0 k1 b0", "63 sm0 k2 b0"));
  EXPECT_EQ(counter("drains"), 0);
  expect_rest();
}

// Records the kernels in the order in which their blocks are issued.
class IssuedKernels final : public EngineObserver {
 public:
  explicit IssuedKernels(FakeGpu& gpu) { gpu.driver().observe(*this); }
  std::vector<std::uint64_t> kernels;

  void kernel_event(Cycle, KernelEvent, KsrId ksr, const KernelLaunch& launch) override {
    in_[ksr] = launch.kernel.value;
  }
  void block_issued(Cycle, SmId, KsrId ksr, BlockId) override { kernels.push_back(in_.at(ksr)); }

 private:
  std::map<KsrId, std::uint64_t> in_;
};

TEST(LeftOverProperty, AllBlocksOfAKernelAreIssuedBeforeAnyOfAYoungerOne) {
  const auto policy = make_policy<SmPartitioner>("left-over");
  const auto drain = make_policy<Preemption>("drain");
  std::uint64_t shared = 0;
  for (std::uint64_t seed = 0; seed < cases(300); ++seed) {
    const Schedule schedule = random_schedule(seed);
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
    gpu.share_sms();
    const IssuedKernels issued(gpu);
    schedule.feed(gpu);
    gpu.run();
    ASSERT_TRUE(std::is_sorted(issued.kernels.begin(), issued.kernels.end())) << "seed " << seed;
    for (std::size_t kernel = 1; kernel < gpu.spans().size(); ++kernel)
      if (gpu.spans()[kernel].first_block < gpu.spans()[kernel - 1].ended) ++shared;
  }
  EXPECT_GT(shared, 500);  // kernels that start while the previous kernel runs
}

}  // namespace
}  // namespace heddle
