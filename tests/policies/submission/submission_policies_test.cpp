// What each submission policy does, on a bench without a simulation kernel.

#include <gtest/gtest.h>

#include "policies/submission/i_submission.h"
#include "tests/support/submission_bench.h"

namespace heddle::test {
namespace {

using Parameters = std::map<std::string, PolicyValue>;
constexpr std::uint64_t kUs = SubmissionBench::kUs;
constexpr std::uint64_t kFullWave = 40;   // blocks
constexpr std::uint64_t kTenUs = 10'000;  // cycles

std::unique_ptr<Submission> make(const std::string& name, const Parameters& parameters = {}) {
  return PolicyRegistry<Submission>::make({name, parameters});
}

std::vector<std::uint64_t> times_of(const SubmissionBench& bench, std::uint32_t process) {
  std::vector<std::uint64_t> times;
  for (const SubmissionBench::Sent& sent : bench.sent)
    if (sent.process == process) times.push_back(sent.time / kUs);
  return times;
}

std::vector<std::uint64_t> blocks_of(const SubmissionBench& bench, std::uint32_t process) {
  std::vector<std::uint64_t> blocks;
  for (const SubmissionBench::Sent& sent : bench.sent)
    if (sent.process == process) blocks.push_back(sent.command.launch.blocks);
  return blocks;
}

TEST(DirectSubmission, CommandsGoAtOnceInTheOrderInWhichTheyWerePushed) {
  SubmissionBench bench(make("direct"), 3);
  bench.priority(2, 5);
  for (const std::uint32_t process : {1U, 2U, 0U, 1U})
    ASSERT_TRUE(bench.launch(process, 0, kFullWave, kTenUs));
  bench.run_to(kUs);
  ASSERT_EQ(bench.sent.size(), 4U);
  // What is pushed at one time counts in the order of the processes.
  EXPECT_EQ(bench.sent[0].process, 0U);
  EXPECT_EQ(bench.sent[3].process, 2U);
}

TEST(InFlightSubmission, AProcessHasNoMoreLaunchesOnTheGpuThanTheBound) {
  SubmissionBench bench(make("in-flight", {{"bound", 3}}), 1);
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(bench.launch(0, 0, kFullWave, kTenUs));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(times_of(bench, 0), (std::vector<std::uint64_t>{0, 0, 0, 10, 20, 30}));
}

TEST(InFlightSubmission, ABatchIsSubmittedWhenSoManyLaunchesAreComplete) {
  SubmissionBench bench(make("in-flight", {{"bound", 4}, {"batch", 2}}), 1);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(bench.launch(0, 0, kFullWave, kTenUs));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(times_of(bench, 0), (std::vector<std::uint64_t>{0, 0, 0, 0, 20, 20, 40, 40}));
}

TEST(InFlightSubmission, LowerPrioritiesAreHeldWhileAHigherOneHasWork) {
  SubmissionBench bench(make("in-flight", {{"bound", 2}}), 2);
  bench.priority(1, 1);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(bench.launch(0, 0, kFullWave, kTenUs));
  bench.run_to(5 * kUs);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(bench.launch(1, 0, kFullWave, kTenUs));
  bench.run_to(1000 * kUs);
  // The bench runs processes side by side: the first one ends at 5 + 3 x 10 us.
  EXPECT_EQ(times_of(bench, 1), (std::vector<std::uint64_t>{5, 5, 15}));
  EXPECT_EQ(times_of(bench, 0), (std::vector<std::uint64_t>{0, 0, 35, 35, 45}));
}

TEST(InFlightSubmission, WeightsShareTheTimeOfEquals) {
  SubmissionBench bench(make("in-flight", {{"bound", 4}, {"weights", IntegerLists{{3, 1}}}}), 2);
  for (int i = 0; i < 400; ++i)
    for (std::uint32_t process = 0; process < 2; ++process)
      ASSERT_TRUE(bench.launch(process, 0, kFullWave, kTenUs));
  bench.run_to(3000 * kUs);
  const auto first = static_cast<double>(times_of(bench, 0).size());
  const auto second = static_cast<double>(times_of(bench, 1).size());
  EXPECT_NEAR(first / second, 3, 0.1);
  EXPECT_GT(first, 200);
}

TEST(InFlightSubmission, AProcessThatComesBackGainsNothingByItsPause) {
  SubmissionBench bench(make("in-flight", {{"bound", 1}, {"weights", IntegerLists{{1, 1}}}}), 2);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(bench.launch(0, 0, kFullWave, kTenUs));
  bench.run_to(1000 * kUs);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(bench.launch(1, 0, kFullWave, kTenUs));
  const std::size_t before = times_of(bench, 0).size();
  bench.run_to(1500 * kUs);
  const auto during = static_cast<double>(times_of(bench, 0).size() - before);
  EXPECT_NEAR(during / static_cast<double>(times_of(bench, 1).size()), 1, 0.06);
}

TEST(SlicingSubmission, PiecesAreWholeWavesThatFitTheBudget) {
  SubmissionBench bench(make("slicing", {{"budget", 35}}), 2);
  bench.priority(1, 1);
  ASSERT_TRUE(bench.launch(0, 0, 8 * kFullWave + 5, kTenUs));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(blocks_of(bench, 0), (std::vector<std::uint64_t>{120, 120, 85}));
  EXPECT_EQ(times_of(bench, 0), (std::vector<std::uint64_t>{0, 30, 60}));
  EXPECT_TRUE(bench.done());
}

TEST(SlicingSubmission, AFirstLaunchWaitsAtMostTheBudget) {
  for (std::uint64_t at = 0; at < 40; at += 7) {
    SubmissionBench bench(make("slicing", {{"budget", 20}}), 2);
    bench.priority(1, 1);
    ASSERT_TRUE(bench.launch(0, 0, 50 * kFullWave, kTenUs));
    bench.run_to(at * kUs);
    ASSERT_TRUE(bench.launch(1, 0, 5 * kFullWave, kTenUs));
    bench.run_to(10'000 * kUs);
    EXPECT_EQ(blocks_of(bench, 1), std::vector<std::uint64_t>{5 * kFullWave}) << "it goes whole";
    EXPECT_EQ(times_of(bench, 1), std::vector<std::uint64_t>{at});
    for (const SubmissionBench::Sent& sent : bench.sent)
      if (sent.process == 0) {
        EXPECT_TRUE(sent.time <= at * kUs + 1 || sent.time >= (at + 50) * kUs);
      }
    EXPECT_TRUE(bench.done());
  }
}

TEST(SlicingSubmission, ABlockLongerThanTheBudgetMakesPiecesOfOneWave) {
  SubmissionBench bench(make("slicing", {{"budget", 3}}), 2);
  bench.priority(1, 1);
  ASSERT_TRUE(bench.launch(0, 0, 3 * kFullWave, kTenUs));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(blocks_of(bench, 0), (std::vector<std::uint64_t>{40, 40, 40}));
}

TEST(SlicingSubmission, AnUnknownKernelIsMeasuredByItsFirstPiece) {
  SubmissionBench bench(make("slicing", {{"budget", 20}}), 2);
  bench.priority(1, 1);
  ASSERT_TRUE(bench.launch(0, 0, 10 * kFullWave, 0));  // the bench runs a wave in 5 us
  bench.run_to(1000 * kUs);
  EXPECT_EQ(blocks_of(bench, 0), (std::vector<std::uint64_t>{40, 160, 160, 40}));
}

TEST(SlicingSubmission, ALaunchWhoseBlocksWaitForEachOtherGoesWhole) {
  SubmissionBench bench(make("slicing", {{"budget", 20}}), 2);
  bench.priority(1, 1);
  ASSERT_TRUE(bench.launch(0, 0, 10 * kFullWave, kTenUs, 0, false));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(blocks_of(bench, 0), std::vector<std::uint64_t>{400});
}

TEST(SlicingSubmission, WithoutAHigherPriorityNothingIsCut) {
  SubmissionBench bench(make("slicing", {{"budget", 20}}), 2);
  ASSERT_TRUE(bench.launch(0, 0, 10 * kFullWave, kTenUs));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(blocks_of(bench, 0), std::vector<std::uint64_t>{400});
}

TEST(SlicingSubmission, ConcurrentPiecesShareTheBudgetAndEndTheLaunchTogether) {
  SubmissionBench bench(make("slicing", {{"budget", 40}, {"pieces", 2}}), 2);
  bench.priority(1, 1);
  ASSERT_TRUE(bench.launch(0, 0, 8 * kFullWave, kTenUs));
  ASSERT_TRUE(bench.launch(0, 0, kFullWave, kTenUs));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(blocks_of(bench, 0), (std::vector<std::uint64_t>{80, 80, 80, 80, 40}));
  EXPECT_EQ(times_of(bench, 0), (std::vector<std::uint64_t>{0, 0, 20, 20, 40}));
  EXPECT_NE(bench.sent[0].command.stream, bench.sent[1].command.stream);
  EXPECT_TRUE(bench.done());
}

// Process 1 is the first one and runs a launch of ten waves. Process 0 is best effort.
std::vector<std::uint64_t> beside(const Parameters& parameters, std::uint64_t blocks, std::uint32_t kernel,
                                  std::uint64_t latency_us = 0) {
  SubmissionBench bench(make("orion", parameters), 2);
  bench.priority(1, 1);
  if (latency_us > 0) {
    bench.queues().begin_request(bench.now(), 1, 0);
    bench.run_to(latency_us * kUs);
    bench.queues().end_request(bench.now(), 1);
    bench.run_to(10'000 * kUs);
  }
  const std::uint64_t start = bench.now() / kUs;
  EXPECT_TRUE(bench.launch(1, 0, 10 * kFullWave, kTenUs, 0));  // bound by compute, 100 us
  bench.run_to(bench.now() + kUs);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bench.launch(0, 0, blocks, kTenUs, kernel));
  bench.run_to(bench.now() + 1000 * kUs);
  EXPECT_TRUE(bench.done());
  std::vector<std::uint64_t> times = times_of(bench, 0);
  for (std::uint64_t& time : times) time -= start;
  return times;
}

TEST(OrionSubmission, ALaunchOfTheOtherBoundRunsBesideAFirstOneOneAtATime) {
  EXPECT_EQ(beside({}, 8, 1), (std::vector<std::uint64_t>{1, 11, 21}));
}

TEST(OrionSubmission, ALaunchOfTheSameBoundWaitsUntilTheFirstOnesHaveEnded) {
  EXPECT_EQ(beside({}, 8, 3), (std::vector<std::uint64_t>{100, 110, 120}));
}

TEST(OrionSubmission, AnUnknownBoundIsRefusedUnlessTheParameterSaysOtherwise) {
  EXPECT_EQ(beside({}, 8, 2), (std::vector<std::uint64_t>{100, 110, 120}));
  EXPECT_EQ(beside({{"unknown", std::string("suits")}}, 8, 2), (std::vector<std::uint64_t>{1, 11, 21}));
}

TEST(OrionSubmission, ALaunchThatFillsAsManySmsAsTheThresholdWaits) {
  EXPECT_EQ(beside({{"sm_threshold", 2}}, 8, 1), (std::vector<std::uint64_t>{100, 110, 120}));
  EXPECT_EQ(beside({{"sm_threshold", 3}}, 8, 1), (std::vector<std::uint64_t>{1, 11, 21}));
}

// A request of the first process has taken 1000 us, so that best-effort launches of 25 us may be on the GPU.
TEST(OrionSubmission, BestEffortTimeStaysBelowItsShareOfARequest) {
  EXPECT_EQ(beside({{"duration", 0.025}}, 8, 1, 1000), (std::vector<std::uint64_t>{1, 1, 11}));
  EXPECT_EQ(beside({{"duration", 0.031}}, 8, 1, 1000), (std::vector<std::uint64_t>{1, 1, 1}));
  EXPECT_EQ(beside({{"duration", 0.020}}, 8, 1, 1000), (std::vector<std::uint64_t>{1, 11, 21}));
}

TEST(PdMuxSubmission, ADeadlineGetsTheSmsThatItNeeds) {
  SubmissionBench bench(make("pd-mux", {{"period", 10}}), 2);
  // 100 us of work on ten SMs by a deadline in 250 us needs four of them; the other process has the rest.
  bench.queues().begin_request(bench.now(), 0, 250 * kUs + 1);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(bench.launch(0, 0, kFullWave, kTenUs));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(bench.launch(1, 0, kFullWave, kTenUs));
  bench.run_to(kUs);
  EXPECT_EQ(*bench.policy().split(), (std::vector<std::int32_t>{4, 6}));
  EXPECT_EQ(times_of(bench, 0).size(), 2U) << "the bound";
}

TEST(PdMuxSubmission, TheEarlierDeadlineIsServedFirstAndTheOtherKeepsTheLeast) {
  SubmissionBench bench(make("pd-mux", {{"least", 2}}), 2);
  bench.queues().begin_request(bench.now(), 0, 400 * kUs);
  bench.queues().begin_request(bench.now(), 1, 50 * kUs);
  for (std::uint32_t process = 0; process < 2; ++process)
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(bench.launch(process, 0, kFullWave, kTenUs));
  bench.run_to(kUs);
  EXPECT_EQ(*bench.policy().split(), (std::vector<std::int32_t>{2, 8}));
  EXPECT_EQ(bench.sent.front().process, 1U);
}

TEST(PdMuxSubmission, AProcessAloneHasAllSmsUntilTheOtherOneGetsWork) {
  SubmissionBench bench(make("pd-mux", {{"period", 1e6}}), 2);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(bench.launch(0, 0, kFullWave, kTenUs));
  bench.run_to(5 * kUs);
  EXPECT_EQ(*bench.policy().split(), (std::vector<std::int32_t>{10, 0}));
  ASSERT_TRUE(bench.launch(1, 0, kFullWave, kTenUs));
  bench.run_to(6 * kUs);
  EXPECT_EQ(*bench.policy().split(), (std::vector<std::int32_t>{5, 5}));
}

}  // namespace
}  // namespace heddle::test
