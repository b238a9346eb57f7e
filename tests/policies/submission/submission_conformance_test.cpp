// The conformance suite of the decision `submission`.

#include <gtest/gtest.h>

#include "policies/submission/i_submission.h"
#include "tests/support/policy_names.h"
#include "tests/support/submission_bench.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

class EverySubmission : public testing::TestWithParam<PolicyName> {
 protected:
  std::unique_ptr<Submission> make() const { return PolicyRegistry<Submission>::make({GetParam().name, {}}); }
};

Command random_command(Random& random, std::uint64_t& recorded) {
  Command command;
  switch (random.below(6)) {
    case 0:
      command.kind = Command::Kind::kCopyUp;
      command.bytes = 1 + random.below(3'000'000);
      break;
    case 1:
      command.kind = Command::Kind::kRecord;
      command.event_value = ++recorded;
      break;
    case 2:
      if (recorded > 0) {
        command.kind = Command::Kind::kWait;
        command.event_value = recorded;
        break;
      }
      [[fallthrough]];
    default:
      command.kind = Command::Kind::kLaunch;
      command.launch.tag = static_cast<std::uint32_t>(random.below(4));
      command.launch.blocks = 1 + random.below(400);
      command.launch.shape = {32, 16, 0};
      command.launch.block_cycles = random.below(3) == 0 ? 0 : 1 + random.below(20'000);
  }
  return command;
}

// Pushes random commands at random times, and runs them. Returns what was submitted when, as a text.
std::string run_random(SubmissionBench& bench, std::uint64_t seed, std::uint32_t processes,
                       std::uint32_t streams) {
  Random random(seed);
  std::vector<std::uint64_t> recorded(processes);
  for (std::uint32_t i = 0; i < processes; ++i)
    bench.priority(i, static_cast<std::int32_t>(random.below(3)) - 1);
  for (int i = 0; i < 60; ++i) {
    const auto process = static_cast<std::uint32_t>(random.below(processes));
    const auto stream = static_cast<std::uint32_t>(random.below(streams));
    if (random.below(10) == 0)
      bench.queues().begin_request(bench.now(), process, bench.now() + random.below(1 << 26));
    if (random.below(10) == 0) bench.queues().end_request(bench.now(), process);
    if (random.below(12) == 0) bench.priority(process, static_cast<std::int32_t>(random.below(3)));
    const Command command = random_command(random, recorded[process]);
    while (!bench.push(process, stream, command, random.below(4) != 0)) bench.run_to(bench.now() + 100'000);
    if (random.below(3) == 0) bench.run_to(bench.now() + random.below(40'000'000));
  }
  bench.run_to(bench.now() + 1'000'000'000'000);
  std::string log;
  for (const SubmissionBench::Sent& sent : bench.sent)
    log += fmt::format("{} {} {} {} {}\n", sent.time, sent.process, sent.command.stream.value,
                       sent.command.launch.first_block, sent.command.launch.blocks);
  return log;
}

TEST_P(EverySubmission, BringsEveryBlockToItsEndOnceAndInOrder) {
  Random random(21);
  for (std::uint64_t i = 0; i < cases(100); ++i) {
    const auto processes = static_cast<std::uint32_t>(1 + random.below(5));
    const auto streams = static_cast<std::uint32_t>(1 + random.below(3));
    const auto entries = static_cast<std::uint32_t>(1 + random.below(6));
    const PolicyChoice choice = random_choice(GetParam(), random);
    SCOPED_TRACE(fmt::format("case {}", i));
    SubmissionBench bench(PolicyRegistry<Submission>::make(choice), processes, streams, entries);
    run_random(bench, i, processes, streams);
    ASSERT_TRUE(bench.done());
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(EverySubmission, DecidesTheSameAgainAndAfterAReset) {
  SubmissionBench once(make(), 4, 2, 4);
  const std::string log = run_random(once, 5, 4, 2);
  std::unique_ptr<Submission> used = make();
  SubmissionView view;
  view.sms = 10;
  view.processes.resize(4);
  view.processes[2].streams.resize(1);
  view.processes[2].waiting = view.processes[2].streams[0].waiting = 3;
  view.processes[2].streams[0].head.ready = true;
  view.processes[2].streams[0].head.kind = HeadView::Kind::kLaunch;
  view.processes[2].streams[0].head.blocks = 7;
  for (int i = 0; i < 3; ++i) (void)used->decide(view);
  used->reset();
  SubmissionBench again(std::move(used), 4, 2, 4);
  EXPECT_EQ(run_random(again, 5, 4, 2), log);
  EXPECT_GT(log.size(), 1000U);
}

// A queue of the hardware that processes share may have room for one command after the other only.
TEST_P(EverySubmission, ServesEqualProcessesThatAlwaysHaveWorkInTurn) {
  for (const HeadView::Kind kind : {HeadView::Kind::kLaunch, HeadView::Kind::kTransfer}) {
    const std::unique_ptr<Submission> policy = make();
    SubmissionView view;
    view.sms = 10;
    view.processes.resize(3);
    std::uint64_t arrivals = 0;
    for (ProcessView& process : view.processes) {
      process.open = true;
      process.streams.resize(1);
      process.waiting = process.streams[0].waiting = 5;
      HeadView& head = process.streams[0].head;
      head.kind = kind;
      head.ready = true;
      head.blocks = 7;
      head.arrival = arrivals++;
    }
    std::vector<int> served(view.processes.size());
    for (int i = 0; i < 300; ++i, view.now_ps += SubmissionBench::kUs) {
      const SubmissionDecision decision = policy->decide(view);
      ASSERT_TRUE(decision.submits);
      ++served[decision.process];
      view.processes[decision.process].streams[0].head.arrival = arrivals++;
    }
    EXPECT_EQ(served, (std::vector<int>{100, 100, 100}));
  }
}

TEST_P(EverySubmission, SubmitsNothingFromEmptyQueues) {
  const std::unique_ptr<Submission> policy = make();
  SubmissionView view;
  view.sms = 4;
  EXPECT_FALSE(policy->decide(view).submits);
  view.processes.resize(3);
  view.processes[1].open = true;
  EXPECT_FALSE(policy->decide(view).submits);
  EXPECT_GE(policy->concurrent_pieces(), 1U);
}

HEDDLE_CONFORMANCE(EverySubmission, Submission);

}  // namespace
}  // namespace heddle::test
