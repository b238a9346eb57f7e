#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "models/core/base/random.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"
#include "tests/support/policy_names.h"

namespace heddle::test {

namespace {

std::unique_ptr<WarpScheduler> with_warps(const PolicyChoice& choice,
                                          const std::vector<std::uint32_t>& slots) {
  std::unique_ptr<WarpScheduler> scheduler = PolicyRegistry<WarpScheduler>::make(choice);
  for (const std::uint32_t slot : slots) scheduler->started(slot, {});
  return scheduler;
}

std::vector<std::uint32_t> picks(WarpScheduler& scheduler, const IssueView& view, int count) {
  std::vector<std::uint32_t> result;
  for (int i = 0; i < count; ++i) result.push_back(scheduler.pick(view));
  return result;
}

using ::testing::ElementsAre;

// Warps of two contexts and three kernels. Warp number k to start is in a slot of block k.
class TestWarps final : public WarpViews {
 public:
  WarpView warp(std::uint32_t slot) const override {
    const std::uint64_t start = started_[slot];
    const auto number = static_cast<std::uint32_t>(start);
    return {KsrId{number % 3},
            ContextId{number % 2},
            BlockId{start},
            slot,
            Cycle{10 * start},
            1 + number % 3,
            static_cast<OperationClass>((start + slot) % 5)};
  }
  void start(std::uint32_t slot) { started_[slot] = ++starts_; }

 private:
  std::array<std::uint64_t, 64> started_{};
  std::uint64_t starts_ = 0;
};

// Properties of every warp scheduler.
class EveryWarpScheduler : public ::testing::TestWithParam<PolicyName> {
 protected:
  static std::unique_ptr<WarpScheduler> with(const std::vector<std::uint32_t>& slots) {
    return with_warps({GetParam().name, {}}, slots);
  }
  TestWarps warps_;
};

// Warps start, wait for memory and end.
TEST_P(EveryWarpScheduler, PicksACandidateOrDeclinesAndDoesSoAgain) {
  Random random(7);
  const auto one = with({});
  const auto other = with({});
  std::uint64_t live = 0;
  for (int step = 0; step < 20000; ++step) {
    const auto slot = static_cast<std::uint32_t>(random.below(64));
    if ((live >> slot & 1) == 0) {
      live |= std::uint64_t{1} << slot;
      warps_.start(slot);
      one->started(slot, warps_.warp(slot));
      other->started(slot, warps_.warp(slot));
    } else if (random.below(8) == 0) {
      live &= ~(std::uint64_t{1} << slot);
      one->ended(slot);
      other->ended(slot);
    }
    IssueView view;
    view.warps = &warps_;
    view.now = Cycle{static_cast<std::uint64_t>(step)};
    view.live = live;
    view.wait_long = live & random.next() & random.next();
    view.candidates = live & ~view.wait_long & random.next();
    if (view.candidates == 0) continue;
    const std::uint32_t picked = one->pick(view);
    EXPECT_EQ(picked, other->pick(view));
    EXPECT_TRUE(picked == WarpScheduler::kDecline || (view.candidates >> picked & 1) == 1);
  }
}

// One scheduler is asked every time. The other one only follows where it says that it takes the only
// candidate.
TEST_P(EveryWarpScheduler, DecidesTheSameWhereItFollowsTheOnlyCandidate) {
  Random random(11);
  std::vector<std::uint32_t> slots(8);
  std::iota(slots.begin(), slots.end(), 0U);
  for (const std::uint32_t slot : slots) warps_.start(slot);
  const auto asked = with(slots);
  const auto follows = with(slots);
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t candidates = random.next() & random.next() & 0xff;
    if (candidates == 0) continue;
    const IssueView view{candidates, 0xff, random.next() & 0xff & ~candidates, &warps_, {}};
    const std::uint32_t picked = asked->pick(view);
    if (!follows->takes_only_candidate() || (candidates & (candidates - 1)) != 0) {
      EXPECT_EQ(follows->pick(view), picked);
      continue;
    }
    EXPECT_EQ(picked, static_cast<std::uint32_t>(__builtin_ctzll(candidates)));
    follows->follow(picked);
  }
}

TEST_P(EveryWarpScheduler, LetsAllWarpsReachABarrier) {
  std::vector<std::uint32_t> slots(24);
  std::iota(slots.begin(), slots.end(), 0U);
  const auto scheduler = with(slots);
  const std::uint64_t all = (std::uint64_t{1} << slots.size()) - 1;
  std::uint64_t arrived = 0;
  for (int asked = 0; arrived != all; ++asked) {
    ASSERT_LT(asked, 1000);
    const std::uint32_t slot = scheduler->pick({all & ~arrived, all, arrived, &warps_, {}});
    if (slot != WarpScheduler::kDecline) arrived |= std::uint64_t{1} << slot;
  }
}

TEST_P(EveryWarpScheduler, IssuesFromTheOnlyWarpThereIs) {
  const auto scheduler = with({5});
  EXPECT_EQ(scheduler->pick({1u << 5, 1u << 5, 0, &warps_, {}}), 5u);
  scheduler->ended(5);
  scheduler->started(63, {});
  EXPECT_EQ(scheduler->pick({std::uint64_t{1} << 63, std::uint64_t{1} << 63, 0, &warps_, {}}), 63u);
}

HEDDLE_CONFORMANCE(EveryWarpScheduler, WarpScheduler);

TEST(WarpSchedulerLrr, TakesTheCandidatesInTurnBySlot) {
  const auto scheduler = with_warps({"lrr", {}}, {0, 2, 4, 6});
  EXPECT_THAT(picks(*scheduler, {0b1010101, 0b1010101, 0}, 6), ElementsAre(0, 2, 4, 6, 0, 2));
  EXPECT_THAT(picks(*scheduler, {0b1000001, 0b1010101, 0}, 3), ElementsAre(6, 0, 6));
}

TEST(WarpSchedulerOldest, TakesTheOneThatStartedFirstWhateverItsSlot) {
  const auto scheduler = with_warps({"oldest", {}}, {6, 2, 4});
  EXPECT_THAT(picks(*scheduler, {0b1010100, 0b1010100, 0}, 2), ElementsAre(6, 6));
  EXPECT_EQ(scheduler->pick({0b0010100, 0b1010100, 0}), 2u);
  scheduler->ended(6);
  scheduler->started(6, {});  // the next warp in this slot is the youngest
  EXPECT_EQ(scheduler->pick({0b1010000, 0b1010100, 0}), 4u);
}

TEST(WarpSchedulerGto, StaysWithAWarpUntilItCannotIssueThenTakesTheOldest) {
  const auto scheduler = with_warps({"gto", {}}, {6, 2, 4});
  EXPECT_EQ(scheduler->pick({0b0010000, 0b1010100, 0}), 4u);
  EXPECT_THAT(picks(*scheduler, {0b1010100, 0b1010100, 0}, 2), ElementsAre(4, 4));
  EXPECT_EQ(scheduler->pick({0b1000100, 0b1010100, 0}), 6u);
}

TEST(WarpSchedulerTwoLevel, IssuesOnlyFromItsActiveWarpsAndReplacesThoseThatWaitForMemory) {
  const auto scheduler = with_warps({"two-level", {{"active_warps", 2}}}, {0, 1, 2, 3});
  const std::uint64_t all = 0b1111;
  EXPECT_THAT(picks(*scheduler, {all, all, 0}, 4), ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(scheduler->pick({0b1100, all, 0}), WarpScheduler::kDecline);  // pending warps do not issue
  EXPECT_EQ(scheduler->pick({0b1100, all, 0b0001}), 2u);  // warp 0 waits, and warp 2 takes its place
  EXPECT_THAT(picks(*scheduler, {0b1110, all, 0b0001}, 2), ElementsAre(1, 2));
}

// ---- priority

WarpView of_kernel(std::uint32_t ksr, std::uint64_t set_up, std::uint32_t context = 0) {
  WarpView view;
  view.kernel = KsrId{ksr};
  view.context = ContextId{context};
  view.set_up = set_up;
  return view;
}

TEST(WarpSchedulerPriority, ACandidateOfTheOlderKernelGoesFirstAndAYoungerOneFillsTheSlotsItLeaves) {
  const auto scheduler = with_warps({"priority", {}}, {});
  scheduler->started(0, of_kernel(2, 9));  // the younger kernel has a warp first
  scheduler->started(1, of_kernel(1, 4));
  scheduler->started(2, of_kernel(2, 9));
  scheduler->started(3, of_kernel(1, 4));
  const std::uint64_t all = 0b1111;
  EXPECT_THAT(picks(*scheduler, {all, all, 0}, 2), ElementsAre(1, 1));
  EXPECT_EQ(scheduler->pick({0b1101, all, 0}), 3u);
  EXPECT_EQ(scheduler->pick({0b0101, all, 0}), 0u);
  EXPECT_EQ(scheduler->pick({all, all, 0}),
            3u);  // greedy: the younger kernel has not disturbed the older one
  scheduler->ended(1);
  scheduler->ended(3);
  EXPECT_EQ(scheduler->pick({0b0101, 0b0101, 0}), 0u);
  scheduler->started(1, of_kernel(1, 4));  // a further block of the older kernel
  EXPECT_EQ(scheduler->pick({0b0111, 0b0111, 0}), 1u);
}

TEST(WarpSchedulerPriority, AContextIsAsOldAsItsFirstKernel) {
  const auto started = [](const std::string& by) {
    auto scheduler = with_warps({"priority", {{"by", by}}}, {});
    scheduler->started(0, of_kernel(0, 1, 7));
    scheduler->started(1, of_kernel(1, 2, 3));
    scheduler->ended(0);
    scheduler->started(2, of_kernel(0, 3, 7));  // the next kernel of the older context
    return scheduler;
  };
  EXPECT_EQ(started("kernel")->pick({0b110, 0b110, 0}), 1u);
  EXPECT_EQ(started("context")->pick({0b110, 0b110, 0}), 2u);
}

TEST(WarpSchedulerPriority, WhereTheSchedulerOfTheOlderKernelDeclinesTheYoungerOneIssues) {
  const auto scheduler =
      with_warps({"priority", {{"within", std::string("two-level")}, {"active_warps", 1}}}, {});
  scheduler->started(0, of_kernel(0, 1));
  scheduler->started(1, of_kernel(0, 1));
  scheduler->started(2, of_kernel(1, 2));
  EXPECT_EQ(scheduler->pick({0b110, 0b111, 0}), 2u);      // warp 1 is pending
  EXPECT_EQ(scheduler->pick({0b110, 0b111, 0b001}), 1u);  // warp 0 waits for memory
}

TEST(WarpSchedulerPriority, HasEveryOtherSchedulerWithin) {
  std::vector<std::string> names = PolicyCatalogue::instance().names(WarpScheduler::kDecision);
  names.erase(std::find(names.begin(), names.end(), "priority"));
  const PolicyParameter* within =
      PolicyCatalogue::instance().find(WarpScheduler::kDecision, "priority", "within");
  ASSERT_NE(within, nullptr);
  EXPECT_EQ(within->names, names);
}

TEST(WarpSchedulerPriority, WithOneKernelItIsTheOneWithin) {
  const PolicyParameter* within =
      PolicyCatalogue::instance().find(WarpScheduler::kDecision, "priority", "within");
  ASSERT_NE(within, nullptr);
  for (const std::string& name : within->names) {
    Random random(11);
    const auto inner = with_warps({name, {}}, {});
    const auto scheduler = with_warps({"priority", {{"within", name}}}, {});
    std::uint64_t live = 0;
    std::uint64_t kernel = 1;
    std::uint64_t declined = 0;
    for (int step = 0; step < 60000; ++step) {
      const auto slot = static_cast<std::uint32_t>(random.below(64));
      if (live == 0) ++kernel;  // one kernel after the other
      if ((live >> slot & 1) == 0 && step / 5000 % 2 == 0) {
        live |= std::uint64_t{1} << slot;
        inner->started(slot, of_kernel(0, kernel));
        scheduler->started(slot, of_kernel(0, kernel));
      } else if ((live >> slot & 1) != 0 && random.below(8) == 0) {
        live &= ~(std::uint64_t{1} << slot);
        inner->ended(slot);
        scheduler->ended(slot);
      }
      const std::uint64_t wait_long = live & random.next() & random.next();
      const std::uint64_t candidates = live & ~wait_long & random.next() & random.next();
      if (candidates == 0) continue;
      const std::uint32_t picked = scheduler->pick({candidates, live, wait_long});
      ASSERT_EQ(picked, inner->pick({candidates, live, wait_long})) << name << " in step " << step;
      if (picked == WarpScheduler::kDecline) ++declined;
    }
    EXPECT_GT(kernel, 3u);
    if (name == "two-level") {
      EXPECT_GT(declined, 0u);
    }
  }
}

}  // namespace

}  // namespace heddle::test
