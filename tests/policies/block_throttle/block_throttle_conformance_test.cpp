// One suite over every registered block throttle, under every partitioner. An SM driver in a GPU of pure
// logic calls them, so that they see only machine states that can occur.

#include <gtest/gtest.h>

#include "tests/support/policy_names.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

// Forwards every call to a policy and checks what it is asked and what it answers.
class ThrottleExaminer final : public BlockThrottle {
 public:
  explicit ThrottleExaminer(BlockThrottle& policy) : policy_(policy) {}

  bool caps() const override { return policy_.caps(); }
  bool reads_stalls() const override { return policy_.reads_stalls(); }
  bool pauses() const override { return policy_.pauses(); }
  ThrottleAnswer started(const ThrottleView& slice) override {
    return checked(slice, policy_.started(slice));
  }
  ThrottleAnswer block_done(const ThrottleView& slice, std::uint64_t cycles, const SmWork& work) override {
    EXPECT_GT(cycles, 0);
    return checked(slice, policy_.block_done(slice, cycles, work));
  }
  ThrottleAnswer sampled(const ThrottleView& slice, const SliceTotals& totals) override {
    EXPECT_LE(totals.until, slice.now);
    return checked(slice, policy_.sampled(slice, totals));
  }
  std::uint64_t asked() const { return asked_; }

 private:
  ThrottleAnswer checked(const ThrottleView& slice, const ThrottleAnswer& answer) {
    ++asked_;
    EXPECT_GE(slice.most, 1);
    EXPECT_GE(answer.cap, 1);
    return answer;
  }
  BlockThrottle& policy_;
  std::uint64_t asked_ = 0;
};

// On a schedule in which the stalls of a kernel follow a random curve over its blocks.
class ThrottledSchedule {
 public:
  ThrottledSchedule(std::uint64_t seed, const std::string& partitioner, const PolicyName& throttle)
      : schedule_(random_schedule(seed)) {
    Random random(seed + 77);
    partitioner_ = PolicyRegistry<SmPartitioner>::make({partitioner, {}});
    PolicyChoice choice{throttle.name, {}};
    if (throttle.name == "fixed")
      choice.parameters["blocks"] = IntegerLists{{1 + static_cast<std::int64_t>(random.below(4)), -1, 2}};
    if (throttle.name == "dyncta") choice.parameters["period"] = static_cast<double>(1 + random.below(300));
    policy_ = PolicyRegistry<BlockThrottle>::make(choice);
    examiner_ = std::make_unique<ThrottleExaminer>(*policy_);
    preemption_ = PolicyRegistry<Preemption>::make({"drain", {}});
    gpu_ = std::make_unique<FakeGpu>(schedule_.spec, schedule_.limits, schedule_.sms, *partitioner_,
                                     *preemption_, examiner_.get());
    if (partitioner_->shares_sms()) gpu_->share_sms();
    std::vector<double> curve;
    for (int i = 0; i < 16; ++i) curve.push_back(static_cast<double>(random.below(100)) / 100);
    gpu_->stall([curve](KernelId kernel, std::uint32_t blocks) {
      return curve[(kernel.value + blocks) % curve.size()];
    });
    gpu_->perform([](KernelId, std::uint32_t blocks) { return 0.3 * blocks; });
    schedule_.feed(*gpu_);
  }

  // Every block is issued and done once, and every kernel ends; the GPU of the test checks resources.
  void run() {
    gpu_->run();
    for (std::size_t i = 0; i < schedule_.arrivals.size(); ++i) {
      const KernelSpan& span = gpu_->span(KernelId{i});
      ASSERT_NE(span.ended, Cycle::never());
      for (const std::uint8_t done : span.done) ASSERT_EQ(done, 1);
    }
    ASSERT_EQ(examiner_->asked() > 0, policy_->caps());
  }
  Cycle end() const { return gpu_->now(); }

 private:
  Schedule schedule_;
  std::unique_ptr<SmPartitioner> partitioner_;
  std::unique_ptr<BlockThrottle> policy_;
  std::unique_ptr<ThrottleExaminer> examiner_;
  std::unique_ptr<Preemption> preemption_;
  std::unique_ptr<FakeGpu> gpu_;
};

class EveryBlockThrottle : public testing::TestWithParam<PolicyName> {};

TEST_P(EveryBlockThrottle, ConservesBlocksAndEndsEveryKernelUnderEveryPartitioner) {
  for (const std::string& partitioner : PolicyCatalogue::instance().names("sm_partitioner"))
    for (std::uint64_t seed = 0; seed < cases(100) && !HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << partitioner << ", seed " << seed);
      ThrottledSchedule schedule(seed, partitioner, GetParam());
      ASSERT_NO_THROW(schedule.run());
    }
}

TEST_P(EveryBlockThrottle, IsDeterministic) {
  for (std::uint64_t seed = 0; seed < cases(100); ++seed) {
    ThrottledSchedule once(seed, "left-over", GetParam());
    ThrottledSchedule again(seed, "left-over", GetParam());
    once.run();
    again.run();
    ASSERT_EQ(once.end(), again.end()) << seed;
  }
}

HEDDLE_CONFORMANCE(EveryBlockThrottle, BlockThrottle);

}  // namespace
}  // namespace heddle
