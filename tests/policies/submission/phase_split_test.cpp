// What policies that split the SMs between prompts and answers choose, by hand-made steps.

#include "policies/submission/phase_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

using Parameters = std::map<std::string, PolicyValue>;
constexpr std::uint64_t kMs = 1'000'000'000;
constexpr std::uint32_t kSms = 100;
constexpr std::uint32_t kPrompts = 0;
constexpr std::uint32_t kAnswers = 1;
constexpr std::uint64_t kTokens = 1000;  // of prompts, in each step

// Two servers on a GPU of 100 SMs, whose steps begin and end when a test says so.
class Server {
 public:
  explicit Server(const std::string& policy, Parameters parameters = {}) {
    parameters.emplace("saturation", 1.0);
    parameters.emplace("granularity", 1.0);
    policy_ = PolicyRegistry<Submission>::make({policy, parameters});
    view_.sms = kSms;
    view_.processes.resize(2);
    for (ProcessView& process : view_.processes) process.streams.resize(1);
    batches_[kPrompts].phase = BatchPhase::kPrefill;
    batches_[kPrompts].prefill_tokens = kTokens;
    batches_[kAnswers].phase = BatchPhase::kDecode;
    for (BatchView& batch : batches_) {
      batch.is_server = true;
      batch.first_token_limit_ps = 200 * kMs;
      batch.between_tokens_limit_ps = 40 * kMs;
    }
  }

  void set_sms(std::uint32_t sms) { view_.sms = sms; }
  BatchView& batch(std::uint32_t process) { return batches_[process]; }
  std::uint64_t now() const { return view_.now_ps; }

  // The process begins a step now, and has a launch to submit.
  void begin(std::uint32_t process) {
    ProcessView& own = view_.processes[process];
    own.request_ps = view_.now_ps;
    own.batch = batches_[process];
    own.waiting = own.streams[0].waiting = 1;
    own.streams[0].head.kind = HeadView::Kind::kLaunch;
    own.streams[0].head.ready = true;
    EXPECT_TRUE(policy_->decide(view_).submits);
    own.waiting = own.streams[0].waiting = 0;
    own.in_flight = own.launches_in_flight = 1;
  }
  // So much later it ends the step.
  void end_after(std::uint64_t ps, std::uint32_t process) {
    view_.now_ps += ps;
    ProcessView& own = view_.processes[process];
    own.in_flight = own.launches_in_flight = 0;
    own.latency_ps = view_.now_ps - own.request_ps;
  }
  void wait(std::uint64_t ps) { view_.now_ps += ps; }
  // Both have a step, alone and one after the other, of so long; then both have one begun.
  void learn(std::uint64_t prompts_ps, std::uint64_t answers_ps) {
    wait(kMs);
    begin(kPrompts);
    end_after(prompts_ps, kPrompts);
    wait(10 * kMs);
    begin(kAnswers);
    end_after(answers_ps, kAnswers);
    wait(10 * kMs);
    begin(kPrompts);
    begin(kAnswers);
  }
  std::vector<std::int32_t> split() const { return *policy_->split(); }

 private:
  std::unique_ptr<Submission> policy_;
  SubmissionView view_;
  BatchView batches_[2];
};

TEST(PhaseSplit, APhaseAloneHasEverySm) {
  for (const char* policy : {"bullet", "duet-serve", "nexus"}) {
    Server server(policy);
    server.wait(kMs);
    server.begin(kPrompts);
    EXPECT_THAT(server.split(), ElementsAre(-1, -1)) << policy;
    server.end_after(5 * kMs, kPrompts);
    server.wait(5 * kMs);
    server.begin(kAnswers);
    EXPECT_THAT(server.split(), ElementsAre(0, 0)) << policy;
  }
}

TEST(PhaseSplit, ServersThatAreNoPairOfPhasesAreRefused) {
  Server both("nexus");
  both.batch(kPrompts).phase = BatchPhase::kBoth;
  EXPECT_THAT([&] { both.begin(kPrompts); },
              ThrowsMessage<std::runtime_error>(HasSubstr("process 0 reads prompts and generates answers")));
  Server twice("nexus");
  twice.batch(kAnswers).phase = BatchPhase::kPrefill;
  twice.wait(kMs);
  twice.begin(kPrompts);
  EXPECT_THAT(
      [&] { twice.begin(kAnswers); },
      ThrowsMessage<std::runtime_error>(HasSubstr("processes 0 and 1 are servers of the same phase")));
}

TEST(PhaseSplit, SetsAreMultiplesOfTheGranularityAndNeverEmpty) {
  Server server("bullet", {{"granularity", 8.0}});
  server.learn(50 * kMs, 10 * kMs);  // 25 SMs are enough for 40 ms
  EXPECT_THAT(server.split(), ElementsAre(68, 32));
  Server slow("bullet", {{"granularity", 8.0}});
  slow.learn(50 * kMs, 100 * kMs);  // none are enough
  EXPECT_THAT(slow.split(), ElementsAre(8, 92));
}

TEST(PhaseSplit, SmallGpusAreSplitInHalvesOrNotAtAll) {
  Server one("bullet");
  one.set_sms(1);
  one.learn(50 * kMs, 10 * kMs);
  EXPECT_THAT(one.split(), ElementsAre(0, 0));
  Server three("bullet", {{"granularity", 8.0}});
  three.set_sms(3);
  three.learn(50 * kMs, 10 * kMs);
  EXPECT_THAT(three.split(), ElementsAre(2, 1));
}

TEST(PhaseSplit, BeyondTheSaturationAnswersGainNothing) {
  Server server("bullet", {{"saturation", 0.4}});
  server.learn(50 * kMs, 20 * kMs);
  EXPECT_THAT(server.split(), ElementsAre(80, 20)) << "20 ms are those of 40 SMs, so that 40 ms need 20";
}

TEST(Bullet, AnswersHaveTheLeastSmsThatKeepTheirLimit) {
  Server server("bullet");
  server.learn(50 * kMs, 10 * kMs);
  EXPECT_THAT(server.split(), ElementsAre(75, 25));
}

TEST(Bullet, WhilePromptsAreLateAnswersSpendWhatTheyHaveSaved) {
  Server server("bullet", {{"slack", 1.0}});
  server.batch(kPrompts).oldest_ps = 1;  // at the beginning
  server.wait(150 * kMs);
  // A step of 10 ms saves 30 of 40 ms. On 75 SMs prompts take 67 ms, and are late.
  server.learn(50 * kMs, 10 * kMs);
  EXPECT_THAT(server.split(), ElementsAre(85, 15)) << "1,000 SM ms in 70 ms";
}

TEST(DuetServe, PhasesShareAllSmsWhileTheLimitOfTokensIsKept) {
  Server server("duet-serve");
  server.learn(25 * kMs, 10 * kMs);
  EXPECT_THAT(server.split(), ElementsAre(0, 0)) << "35 ms together";
  Server threatened("duet-serve");
  threatened.learn(35 * kMs, 10 * kMs);
  EXPECT_THAT(threatened.split(), ElementsAre(75, 25)) << "45 ms together";
}

TEST(Nexus, TheUseOfTheCacheSaysWhichPhaseGoesFirst) {
  Server server("nexus", {{"answers", 1.25}, {"prompts", 2.0}});
  server.learn(50 * kMs, 10 * kMs);
  EXPECT_THAT(server.split(), ElementsAre(20, 80));
  server.end_after(5 * kMs, kAnswers);
  server.batch(kAnswers).cache_used = 0.8;
  server.begin(kAnswers);
  EXPECT_THAT(server.split(), ElementsAre(50, 50));
}

TEST(Nexus, ASmallChangeIsNotMade) {
  Server server("nexus", {{"answers", 1.25}, {"prompts", 1.2}, {"hysteresis", 0.7}});
  server.learn(50 * kMs, 10 * kMs);
  server.end_after(5 * kMs, kAnswers);
  server.batch(kAnswers).cache_used = 0.8;
  server.begin(kAnswers);
  EXPECT_THAT(server.split(), ElementsAre(20, 80)) << "84 and 16 differ by 64 SMs";
}

TEST(SemiPd, PartsFollowWhatRequestsHadOfTheirLimits) {
  Server server("semi-pd", {{"window", 50'000.0}});
  server.wait(kMs);
  server.batch(kPrompts).oldest_ps = server.now();
  server.begin(kAnswers);
  server.begin(kPrompts);
  EXPECT_THAT(server.split(), ElementsAre(50, 50));
  server.end_after(20 * kMs, kAnswers);
  server.end_after(380 * kMs, kPrompts);
  server.begin(kAnswers);
  server.begin(kPrompts);
  EXPECT_THAT(server.split(), ElementsAre(80, 20)) << "twice the limit on 50 SMs, and half of it on 50 SMs";
}

TEST(SemiPd, NothingChangesWhileBothLimitsAreKept) {
  Server server("semi-pd", {{"window", 1'000.0}, {"start", 0.3}});
  server.wait(kMs);
  for (int step = 0; step < 5; ++step) {
    server.batch(kPrompts).oldest_ps = server.now();
    server.begin(kAnswers);
    server.begin(kPrompts);
    server.end_after(30 * kMs, kAnswers);
    server.end_after(70 * kMs, kPrompts);
    EXPECT_THAT(server.split(), ElementsAre(70, 30));
  }
}

TEST(PhaseSplit, ServersWithoutLimitsAreRefusedWhereLimitsDecide) {
  for (const char* policy : {"bullet", "duet-serve"}) {
    Server server(policy);
    for (const std::uint32_t process : {kPrompts, kAnswers})
      server.batch(process).between_tokens_limit_ps = 0;
    EXPECT_THAT([&] { server.learn(kMs, kMs); }, ThrowsMessage<std::runtime_error>(HasSubstr("batching.slo")))
        << policy;
  }
}

}  // namespace
}  // namespace heddle
