#include <gmock/gmock.h>

#include <map>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

class StreamPriority : public SmDriverTest {
 protected:
  Log start(std::uint32_t slots, std::uint32_t sms) {
    return SmDriverTest::start("stream-priority", slots, sms);
  }
  KernelLaunch with_priority(KernelLaunch launch, std::int32_t priority) {
    launch.priority = priority;
    return launch;
  }
  std::unique_ptr<SmPartitioner> policy_ = make_policy<SmPartitioner>("stream-priority");
};

TEST_F(StreamPriority, KernelsStandInOrderOfPriorityAndThenOfArrival) {
  TestMachine machine(2, {{0}, {2}, {0}});
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  machine.kernel(2, 9);
  machine.kernel(1, 0);
  machine.view().kernels[2].priority = 1;
  EXPECT_THAT(machine.slices(*policy_), ElementsAre("1:* 2:* 0:*", "1:* 2:* 0:*"));
}

TEST_F(StreamPriority, TheNextBlocksAreOfTheHigherKernelAndNoneIsStopped) {
  const Log log = start(2, 1);
  gpu_->set_context(Cycle{0}, ContextId{1}, {1});
  gpu_->launch(Cycle{0}, test_kernel(0, 6, 20));
  gpu_->launch(Cycle{9}, test_kernel(1, 2, 10));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "27 sm0 k1 b0", "28 sm0 k1 b1",
                                      "39 sm0 k0 b2", "40 sm0 k0 b3", "61 sm0 k0 b4", "62 sm0 k0 b5"));
  EXPECT_EQ(counter("drains"), 0);
  expect_rest();
}

TEST_F(StreamPriority, LaunchesOfOneContextHavePrioritiesOfTheirOwn) {
  const Log log = start(1, 1);
  gpu_->launch(Cycle{0}, with_priority(test_kernel(0, 2, 20), -1));
  gpu_->launch(Cycle{9}, test_kernel(0, 1, 10));
  gpu_->launch(Cycle{9}, with_priority(test_kernel(0, 1, 10), 3));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "27 sm0 k2 b0", "39 sm0 k1 b0", "51 sm0 k0 b1"));
}

TEST_F(StreamPriority, ALowerKernelWaitsForABlockThatDoesNotFitThoughItsOwnWould) {
  const Log log = start(4, 1);
  gpu_->set_context(Cycle{0}, ContextId{1}, {1});
  gpu_->launch(Cycle{0}, test_kernel(0, 4, 50));
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 20, 640));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k1 b0", "27 sm0 k1 b1", "28 sm0 k0 b0", "29 sm0 k0 b1",
                                      "30 sm0 k0 b2", "49 sm0 k0 b3"));
}

TEST_F(StreamPriority, AContextThatIsRaisedGoesFirstAtOnce) {
  const Log log = start(4, 1);
  gpu_->launch(Cycle{0}, test_kernel(0, 2, 40, 640));
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 50));
  gpu_->set_context(Cycle{20}, ContextId{1}, {1});
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "20 sm0 k1 b0", "21 sm0 k1 b1", "47 sm0 k0 b1"));
}

TEST_F(StreamPriority, WithOneContextAnotherOneWaitsUntilTheLastKernelHasLeft) {
  const auto one =
      PolicyRegistry<SmPartitioner>::make({"stream-priority", {{"contexts", std::string("one")}}});
  FakeGpu& gpu = this->gpu(test_spec(), 2, 1, *one);
  gpu.share_sms();
  const Log log(gpu);
  gpu.set_context(Cycle{0}, ContextId{1}, {1});
  gpu.launch(Cycle{0}, test_kernel(0, 3, 20));
  gpu.launch(Cycle{9}, test_kernel(1, 1, 10));
  gpu.launch(Cycle{9}, test_kernel(0, 1, 10));
  gpu.run();
  // Kernel 2 is of the context that runs, but goes after kernel 1.
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "27 sm0 k0 b2", "53 sm0 k1 b0", "69 sm0 k2 b0"));
}

// Checks at every issue that no kernel of higher priority has a block to issue on the SM.
class HigherFirst final : public EngineObserver {
 public:
  explicit HigherFirst(FakeGpu& gpu, const Schedule& schedule) : gpu_(gpu), schedule_(schedule) {
    gpu.driver().observe(*this);
  }
  std::uint64_t passed = 0;  // issues for which an older kernel of lower priority waited

  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId) override {
    const KsrFile& ksrs = gpu_.driver().ksrs();
    for (const SliceEntry& entry : gpu_.driver().smsrs()[sm.value].slices) {
      const Ksr& other = ksrs[entry.slice.kernel];
      if (entry.slice.kernel == ksr || other.unissued() == 0) continue;
      ASSERT_LE(priority(other), priority(ksrs[ksr])) << "cycle " << now.value << ", SM " << sm.value;
      if (priority(other) < priority(ksrs[ksr]) && other.arrival < ksrs[ksr].arrival) ++passed;
    }
  }

 private:
  std::int32_t priority(const Ksr& ksr) const {
    return schedule_.contexts[ksr.launch.context.value].priority + ksr.launch.priority;
  }
  FakeGpu& gpu_;
  const Schedule& schedule_;
};

TEST(StreamPriorityProperty, NoBlockIsIssuedWhileOneOfHigherPriorityWaitsOnTheSm) {
  const auto policy = make_policy<SmPartitioner>("stream-priority");
  const auto drain = make_policy<Preemption>("drain");
  std::uint64_t passed = 0;
  for (std::uint64_t seed = 0; seed < cases(300) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Schedule schedule = random_schedule(seed);
    Random random(seed);
    for (Schedule::Arrival& arrival : schedule.arrivals)
      arrival.launch.priority = static_cast<std::int32_t>(random.below(3)) - 1;
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
    gpu.share_sms();
    const HigherFirst check(gpu, schedule);
    schedule.feed(gpu);
    gpu.run();
    passed += check.passed;
  }
  EXPECT_GT(passed, 100);
}

}  // namespace
}  // namespace heddle
