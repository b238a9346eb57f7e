// The token scheduler over random schedules. An observer keeps the token counts of CUsched, Section III-C,
// independently: a count is decremented when a slice is assigned an SM, and incremented when the slice gives
// up the SM or its drain starts. The observer reads the counts of the policy only for comparison.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "policies/sm_partitioner/token.h"
#include "tests/support/machine/test_machine.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

class TokenAccounts final : public EngineObserver {
 public:
  TokenAccounts(const Schedule& schedule, const Token& policy, FakeGpu& gpu)
      : schedule_(schedule), policy_(policy), gpu_(gpu) {
    for (const ContextView& context : schedule.contexts) counts_.push_back(context.tokens);
  }

  std::uint64_t points() const { return points_; }
  std::uint64_t contended_points() const { return contended_points_; }

  void kernel_event(Cycle, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override {
    if (event == KernelEvent::kLoaded) context_[ksr] = launch.context.value;
  }

  void slice_event(Cycle now, SliceEvent event, SmId sm, KsrId ksr) override {
    const auto slice = std::make_pair(sm, ksr);
    const bool assigned = assigned_.count(slice) != 0;
    switch (event) {
      case SliceEvent::kReserved:
        EXPECT_FALSE(assigned) << "SM " << sm.value << " reserved twice, cycle " << now.value;
        assign(slice);
        break;
      case SliceEvent::kReturned:
        EXPECT_FALSE(assigned) << "SM " << sm.value << " returned but not leaving, cycle " << now.value;
        assign(slice);
        break;
      case SliceEvent::kSetUp:
        if (!assigned) assign(slice);
        break;
      case SliceEvent::kRunning:
        EXPECT_TRUE(assigned);
        break;
      case SliceEvent::kLeaving:
        EXPECT_TRUE(assigned) << "SM " << sm.value << " left twice, cycle " << now.value;
        give_up(slice);
        break;
      case SliceEvent::kFreed:
        if (assigned) give_up(slice);
        break;
    }
  }

  void scheduled(Cycle now) override {
    ++points_;
    SCOPED_TRACE(testing::Message() << "cycle " << now.value);
    ASSERT_EQ(*policy_.tokens(), counts_);
    const MachineView& machine = gpu_.driver().view();
    std::vector<std::int32_t> held(counts_.size(), 0);
    for (const SmView& sm : machine.sms)
      if (sm.holder().valid()) ++held[machine.kernel(sm.holder()).context.value];
    for (std::size_t context = 0; context < counts_.size(); ++context) {
      ASSERT_EQ(counts_[context] + held[context], schedule_.contexts[context].tokens)
          << "context " << context;
      ASSERT_GE(counts_[context], -static_cast<std::int32_t>(schedule_.sms)) << "context " << context;
    }
    candidates_are_even(machine, held);
  }

 private:
  using SliceKey = std::pair<SmId, KsrId>;

  void assign(const SliceKey& slice) {
    assigned_.insert(slice);
    --counts_[context_.at(slice.second)];
  }
  void give_up(const SliceKey& slice) {
    assigned_.erase(slice);
    ++counts_[context_.at(slice.second)];
  }

  // There are at most as many tokens as SMs. While a candidate is left, every SM is therefore held, the
  // counts sum to zero or less, and the counts of the candidates differ by at most one from each other and
  // from the lowest count that holds an SM. A context with a token and a candidate has an SM.
  void candidates_are_even(const MachineView& machine, const std::vector<std::int32_t>& held) {
    std::set<std::uint32_t> candidates;
    for (const KernelView& kernel : machine.kernels)
      if (wants_more(machine, kernel)) candidates.insert(kernel.context.value);
    if (candidates.empty()) return;
    for (const SmView& sm : machine.sms) ASSERT_TRUE(sm.holder().valid()) << "an SM is left to nobody";
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    std::int32_t most = std::numeric_limits<std::int32_t>::min();
    for (const std::uint32_t context : candidates) {
      least = std::min(least, counts_[context]);
      most = std::max(most, counts_[context]);
      ASSERT_TRUE(held[context] > 0 || schedule_.contexts[context].tokens == 0)
          << "context " << context << " starves";
    }
    ASSERT_LE(most - least, 1);
    for (std::size_t context = 0; context < counts_.size(); ++context)
      ASSERT_TRUE(held[context] == 0 || most - counts_[context] <= 1)
          << "context " << context << " holds too much";
    if (candidates.size() > 1) ++contended_points_;
  }

  const Schedule& schedule_;
  const Token& policy_;
  FakeGpu& gpu_;
  std::vector<std::int32_t> counts_;
  std::map<KsrId, std::uint32_t> context_;
  std::set<SliceKey> assigned_;
  std::uint64_t points_ = 0;
  std::uint64_t contended_points_ = 0;
};

void every_block_ran_once(const Schedule& schedule, const FakeGpu& gpu) {
  for (std::size_t i = 0; i < schedule.arrivals.size(); ++i) {
    const KernelSpan& span = gpu.span(KernelId{i});
    ASSERT_NE(span.ended, Cycle::never()) << "kernel " << i;
    ASSERT_EQ(span.issued, std::vector<std::uint8_t>(schedule.arrivals[i].launch.blocks, 1))
        << "kernel " << i;
    ASSERT_EQ(span.done, std::vector<std::uint8_t>(schedule.arrivals[i].launch.blocks, 1)) << "kernel " << i;
  }
}

TEST(TokenProperty, TokensAndSmsBalanceAndEveryKernelEndsOverRandomSchedules) {
  std::uint64_t points = 0;
  std::uint64_t contended_points = 0;
  for (std::uint64_t seed = 0; seed < cases(3000) && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = random_schedule(seed);
    Token policy(PolicyParameters({{"imbalance", 1}}));
    const auto drain = make_policy<Preemption>("drain");
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, policy, *drain);
    TokenAccounts accounts(schedule, policy, gpu);
    gpu.driver().observe(accounts);
    schedule.feed(gpu);
    ASSERT_NO_THROW(gpu.run());
    every_block_ran_once(schedule, gpu);
    points += accounts.points();
    contended_points += accounts.contended_points();
  }
  EXPECT_GT(points, 10000);  // the schedules cause decisions, and contexts contend
  EXPECT_GT(contended_points, 1000);
}

// Each context has one kernel and at least one token, and there are no more contexts than SMs. A kernel is
// promised an SM when it becomes active and keeps one. It therefore starts when the blocks end that were on
// the SMs at that time, or those on an SM that it was moved to.
TEST(TokenProperty, AKernelStartsWithinTwoOfTheLongestBlocks) {
  std::uint64_t waits = 0;
  for (std::uint64_t seed = 0; seed < cases(500); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Schedule schedule = random_schedule(seed);
    schedule.spec.ksrs = 20;
    const std::uint32_t contexts = schedule.sms;
    schedule.spec.contexts = contexts;
    schedule.contexts.assign(contexts, ContextView{0, 1});
    schedule.arrivals.resize(std::min<std::size_t>(schedule.arrivals.size(), contexts));
    for (std::uint32_t i = 0; i < schedule.arrivals.size(); ++i)
      schedule.arrivals[i].launch.context = ContextId{i};
    Token policy(PolicyParameters({{"imbalance", 1}}));
    const auto drain = make_policy<Preemption>("drain");
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, policy, *drain);
    schedule.feed(gpu);
    gpu.run();
    const std::uint64_t block = schedule.longest_residence + schedule.spec.block_issue_latency;
    const std::uint64_t set_up = schedule.spec.set_up_cycles();
    for (const KernelSpan& span : gpu.spans()) {
      ASSERT_LE(span.first_block - span.activated, 2 * std::max(block, set_up) + set_up);
      if (span.first_block - span.activated > set_up) ++waits;
    }
  }
  EXPECT_GT(waits, 300);
}

}  // namespace
}  // namespace heddle
