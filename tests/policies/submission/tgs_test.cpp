// These tests follow the limit that TGS sets for opportunistic launches, period by period.

#include <gtest/gtest.h>

#include "policies/submission/i_submission.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kMs = 1'000'000'000;  // picoseconds

// A view with a productive process 1 and an opportunistic process 0. The test pushes productive launches of
// 100 blocks by hand, so that their rate is what the test says; opportunistic launches of one block always
// wait, so that the number that goes in a period is the limit in blocks.
class TgsBench {
 public:
  explicit TgsBench(std::map<std::string, PolicyValue> parameters = {}) {
    parameters.emplace("window", 2.0);
    policy_ = PolicyRegistry<Submission>::make({"tgs", parameters});
    view_.sms = 10;
    view_.processes.resize(2);
    for (ProcessView& process : view_.processes) {
      process.open = true;
      process.streams.resize(1);
      HeadView& head = process.streams[0].head;
      head.kind = HeadView::Kind::kLaunch;
      head.ready = true;
      head.blocks = 1;
    }
    view_.processes[1].priority = 1;
    view_.processes[1].streams[0].head.blocks = 100;
    view_.processes[0].waiting = view_.processes[0].streams[0].waiting = 1;
  }

  // The productive process pushes so many launches at the start of the next period of 10 ms. The function
  // returns how many opportunistic blocks are submitted in that period, at most 1000.
  int period(int productive) {
    ProcessView& first = view_.processes[1];
    for (; productive > 0; --productive) {
      first.waiting = first.streams[0].waiting = 1;
      EXPECT_EQ(policy_->decide(view_).process, 1U);
    }
    first.waiting = first.streams[0].waiting = 0;
    int went = 0;
    SubmissionDecision decision;
    while (went < 1000 && (decision = policy_->decide(view_)).submits) ++went;
    if (went < 1000) {
      EXPECT_EQ(decision.ask_at_ps, view_.now_ps + 10 * kMs) << "the end of the period";
    }
    view_.now_ps += 10 * kMs;
    return went;
  }
  std::vector<int> periods(const std::vector<int>& productive) {
    std::vector<int> went;
    for (const int launches : productive) went.push_back(period(launches));
    return went;
  }

 private:
  std::unique_ptr<Submission> policy_;
  SubmissionView view_;
};

// Without a productive launch there is no limit. The first period with one is over when the profile begins,
// and the profile takes two periods. 1000 blocks a period are the productive rate, and a tenth the limit.
TEST(TgsSubmission, TheProductiveJobIsProfiledBeforeSlowStart) {
  TgsBench bench;
  EXPECT_EQ(bench.periods({0, 0}), (std::vector<int>{1000, 1000}));
  EXPECT_EQ(bench.periods({10, 10, 10}), (std::vector<int>{1000, 0, 0}));
  EXPECT_EQ(bench.periods({10, 10, 10}), (std::vector<int>{100, 150, 225}));
}

// The mean of 10 and 9 launches is five per cent below 10. The limit then falls by a third, and congestion
// avoidance begins, in which it rises by three per cent of the productive rate and falls by eight per cent.
TEST(TgsSubmission, TheLimitRisesByAStepAndFallsByAShare) {
  TgsBench bench;
  bench.periods({10, 10, 10});
  EXPECT_EQ(bench.periods({10, 10, 9, 10, 10}), (std::vector<int>{100, 150, 225, 150, 138}))
      << "the loss is in the means of two periods";
  EXPECT_EQ(bench.periods({10, 10}), (std::vector<int>{168, 198}));
}

TEST(TgsSubmission, AFarTooLowRateStartsAnew) {
  TgsBench bench;
  bench.periods({10, 10, 10});
  // The means are 10, 9 and 9: slow start ends, the limit of 150 then falls by eight per cent to a tenth.
  EXPECT_EQ(bench.periods({10, 10, 8, 10}), (std::vector<int>{100, 150, 225, 150}));
  const int low = bench.period(10);
  EXPECT_EQ(low, 14) << "0.92 x 150 / 10 = 13.8, of which the last block counts in the next period";
  EXPECT_EQ(bench.period(10), 21) << "20.7 in slow start, less 0.2";
}

TEST(TgsSubmission, WithoutProductiveLaunchesTheLimitEnds) {
  TgsBench bench({{"idle", 2.0}});
  bench.periods({10, 10, 10, 10});
  EXPECT_LT(bench.periods({0, 0}).back(), 1000);
  EXPECT_EQ(bench.period(0), 1000);
  EXPECT_EQ(bench.period(10), 1000) << "it is asked before the productive launch counts";
  EXPECT_EQ(bench.periods({10, 10}), (std::vector<int>{0, 0})) << "the profile";
}

// A rate that stays a fifth too low for twenty periods counts as the rate of another job. The job's own rate
// is then 800 blocks, which is the present rate, so that the limit rises.
TEST(TgsSubmission, AJobThatHasBecomeSlowerIsAcceptedAfterTwentyPeriods) {
  TgsBench bench;
  bench.periods({10, 10, 10, 10});
  for (int i = 0; i < 20; ++i) bench.period(8);
  EXPECT_LE(bench.period(8), 2) << "the least limit, a thousandth of the productive rate";
  for (int i = 0; i < 15; ++i) bench.period(8);
  EXPECT_GT(bench.period(8), 100);
}

}  // namespace
}  // namespace heddle::test
