// These tests run Paella, and the atomizer of LithOS, on a bench with 10 SMs that hold four blocks each.

#include <gtest/gtest.h>

#include "policies/submission/i_submission.h"
#include "tests/support/submission_bench.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kUs = SubmissionBench::kUs;
constexpr std::uint64_t kFullWave = 40;   // blocks that fill all SMs
constexpr std::uint64_t kTenUs = 10'000;  // cycles

std::unique_ptr<Submission> make(const std::string& name,
                                 const std::map<std::string, PolicyValue>& parameters = {}) {
  return PolicyRegistry<Submission>::make({name, parameters});
}

// Returns a text "process@time" for each launch in the order of submission, with the time in microseconds.
std::vector<std::string> log_of(const SubmissionBench& bench) {
  std::vector<std::string> log;
  for (const SubmissionBench::Sent& sent : bench.sent)
    log.push_back(fmt::format("{}@{}", sent.process, sent.time / kUs));
  return log;
}

using Log = std::vector<std::string>;

TEST(PaellaSubmission, ALaunchWaitsUntilTheSmsThatItFillsAreFree) {
  SubmissionBench bench(make("paella"), 3);
  ASSERT_TRUE(bench.launch(0, 0, 24, kTenUs));  // six SMs
  ASSERT_TRUE(bench.launch(1, 0, 16, kTenUs));  // four SMs
  ASSERT_TRUE(bench.launch(2, 0, 1, kTenUs));   // one SM
  bench.run_to(1000 * kUs);
  EXPECT_EQ(log_of(bench), (Log{"0@0", "1@0", "2@10"}));
}

TEST(PaellaSubmission, OvershootAddsSmsThatAreNotThere) {
  SubmissionBench bench(make("paella", {{"overshoot", 1}}), 3);
  ASSERT_TRUE(bench.launch(0, 0, kFullWave, kTenUs));
  ASSERT_TRUE(bench.launch(1, 0, 4, kTenUs));
  ASSERT_TRUE(bench.launch(2, 0, 4, kTenUs));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(log_of(bench), (Log{"0@0", "1@0", "2@10"}));
}

TEST(PaellaSubmission, AStreamHasOneLaunchOnTheGpu) {
  SubmissionBench bench(make("paella"), 1, 2);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(bench.launch(0, 0, 4, kTenUs));
  ASSERT_TRUE(bench.launch(0, 1, 4, kTenUs));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(log_of(bench), (Log{"0@0", "0@0", "0@10"}));
}

// The launches of process 0 take 50 us in all, and those of process 1 take 20 us. When both processes have
// launches of equal time left, the older launch goes first.
TEST(PaellaSubmission, TheLeastRemainingTimeGoesFirstAndIsNotPassedBy) {
  SubmissionBench bench(make("paella"), 2);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(bench.launch(0, 0, kFullWave, kTenUs));
  bench.run_to(5 * kUs);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(bench.launch(1, 0, kFullWave, kTenUs));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(log_of(bench), (Log{"0@0", "1@10", "1@20", "0@30", "0@40", "0@50", "0@60"}));
}

// The policy has seen one request of process 0, which consisted of two launches. When the first launch of the
// next request comes, the policy therefore expects a second one, and process 1 has less time left.
TEST(PaellaSubmission, WhatARequestHasStillToSubmitIsLearntFromEarlierOnes) {
  for (const bool has_learnt : {false, true}) {
    SubmissionBench bench(make("paella"), 3);
    bench.run_to(kUs);
    if (has_learnt) {
      bench.queues().begin_request(bench.now(), 0, 0);
      for (int i = 0; i < 2; ++i) ASSERT_TRUE(bench.launch(0, 0, kFullWave, 2 * kTenUs));
      bench.run_to(990 * kUs);
      bench.queues().end_request(bench.now(), 0);
    }
    bench.run_to(1000 * kUs);
    bench.sent.clear();
    bench.queues().begin_request(bench.now(), 0, 0);
    ASSERT_TRUE(bench.launch(2, 0, kFullWave, kTenUs));  // process 2 holds the GPU meanwhile
    bench.run_to(1001 * kUs);
    ASSERT_TRUE(bench.launch(0, 0, kFullWave, 2 * kTenUs));
    ASSERT_TRUE(bench.launch(1, 0, 3 * kFullWave, kTenUs));
    bench.run_to(2000 * kUs);
    const Log known{"2@1000", "1@1010", "0@1040"};
    const Log unknown{"2@1000", "0@1010", "1@1030"};
    EXPECT_EQ(log_of(bench), has_learnt ? known : unknown);
  }
}

// Process 1 always has less time left. Each of its launches gives process 0 a credit of 5 us, so that process
// 0 has a credit of 15 us after three launches.
TEST(PaellaSubmission, ALongProcessWithEnoughCreditGoesFirst) {
  SubmissionBench bench(make("paella", {{"fairness", 15}}), 2);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(bench.launch(0, 0, kFullWave, kTenUs));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(bench.launch(1, 0, kFullWave, kTenUs));
  bench.run_to(60 * kUs + 1);
  EXPECT_EQ(log_of(bench), (Log{"1@0", "1@10", "1@20", "0@30", "1@40", "0@50", "1@60"}));
}

TEST(LithosSubmission, EveryLaunchGoesInAtomsAndTwoOfThemAreOnTheGpu) {
  SubmissionBench bench(make("lithos", {{"atom", 25}}), 2);
  bench.priority(1, 1);
  ASSERT_TRUE(bench.launch(0, 0, 5 * kFullWave, kTenUs));
  bench.run_to(5 * kUs);
  ASSERT_TRUE(bench.launch(1, 0, 3 * kFullWave, kTenUs));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(log_of(bench), (Log{"0@0", "0@0", "1@5", "1@5", "0@20"}));
  EXPECT_EQ(bench.sent[0].command.launch.blocks, 2 * kFullWave);
  EXPECT_EQ(bench.sent[3].command.launch.blocks, kFullWave);
  EXPECT_TRUE(bench.done());
}

TEST(LithosSubmission, AShortLaunchAndOneWhoseBlocksWaitForEachOtherGoWhole) {
  SubmissionBench bench(make("lithos", {{"atom", 25}, {"outstanding", 1}}), 1);
  ASSERT_TRUE(bench.launch(0, 0, 2 * kFullWave, kTenUs));
  ASSERT_TRUE(bench.launch(0, 0, 9 * kFullWave, kTenUs, 0, false));
  bench.run_to(1000 * kUs);
  EXPECT_EQ(log_of(bench), (Log{"0@0", "0@20"}));
}

}  // namespace
}  // namespace heddle::test
