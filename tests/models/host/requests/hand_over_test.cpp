// Requests that one server hands over to another: the link between them, and the queue of the one that takes
// them.

#include "models/host/requests/hand_over.h"

#include <gtest/gtest.h>

#include <vector>

#include "models/host/requests/batch_service.h"

namespace heddle {
namespace {

TEST(HandOver, KeysAndValuesGoOverTheLinkOneRequestAfterTheOther) {
  HandOver hand_over({0, 50, 10});
  hand_over.give(20, 5, 900, 1000);
  hand_over.give(30, 6, 950, 1100);  // the link is busy until 1,200
  hand_over.give(1, 7, 4000, 5000);
  std::vector<std::uint64_t> arrivals;
  for (; hand_over.next() != nullptr; hand_over.take()) arrivals.push_back(hand_over.next()->arrival_ps);
  EXPECT_EQ(arrivals, (std::vector<std::uint64_t>{1250, 1550, 5060}));
}

TEST(HandOver, TellsOfEachRequestAndOfItsEnd) {
  HandOver hand_over({});
  int calls = 0;
  hand_over.on_change([&calls] { ++calls; });
  hand_over.give(1, 2, 3, 4);
  EXPECT_TRUE(hand_over.may_come());
  hand_over.end();
  EXPECT_FALSE(hand_over.may_come());
  EXPECT_EQ(calls, 2);
  hand_over.reset();
  EXPECT_EQ(hand_over.next(), nullptr);
  EXPECT_TRUE(hand_over.may_come());
}

RequestSpec spec_of(BatchSpec::Phase phase) {
  RequestSpec spec;
  spec.arrivals.kind = ArrivalSpec::Kind::kPeriodic;
  spec.arrivals.least_ps = 100;
  spec.most_requests = 2;
  spec.parameters = {{"prompt", Distribution::constant(10), std::nullopt},
                     {"output", Distribution::constant(3), std::nullopt}};
  spec.batch = BatchSpec{};
  spec.batch->phase = phase;
  spec.batch->prompt = 0;
  spec.batch->output = 1;
  return spec;
}

TEST(HandOver, AServerGoesOnWithWhatAnotherOneHasBegun) {
  HandOver hand_over({0, 5, 1});
  BatchService prompts(0, spec_of(BatchSpec::Phase::kPrefill), 0, {{}, nullptr, nullptr, &hand_over});
  std::vector<RequestRecord> records;
  RequestSpec spec = spec_of(BatchSpec::Phase::kDecode);
  spec.most_requests = 1;  // its own arrivals do not hold
  BatchService decodes(
      1, spec, 0, {[&](const RequestRecord& record) { records.push_back(record); }, nullptr, &hand_over});
  EXPECT_EQ(decodes.start(0), nullptr);
  EXPECT_EQ(decodes.next_start_ps(), kNoTime);
  EXPECT_TRUE(decodes.may_come());
  ASSERT_NE(prompts.start(0), nullptr);
  prompts.end(40);
  EXPECT_EQ(decodes.next_start_ps(), 55U) << "ten tokens over the link, and its latency";
  ASSERT_NE(decodes.start(55), nullptr);
  decodes.end(60);
  ASSERT_NE(decodes.start(60), nullptr);
  decodes.end(70);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].arrival_ps, 55U);
  EXPECT_EQ(records[0].tokens->first_ps, 40U);
  EXPECT_EQ(records[0].tokens->tokens, 3U);
  EXPECT_EQ(records[0].tokens->longest_gap_ps, 20U);
  EXPECT_EQ(decodes.tokens()->first_token.histogram.count(), 1U);
  EXPECT_EQ(decodes.tokens()->first_token.sum, 40) << "from the arrival at the server of prompts";
  ASSERT_NE(prompts.start(100), nullptr);
  prompts.end(140);
  hand_over.end();
  EXPECT_EQ(decodes.next_start_ps(), 155U) << "one that was given before the end is still served";
  ASSERT_NE(decodes.start(155), nullptr);
  EXPECT_FALSE(decodes.may_come());
}

// The request has its first token after 40 ps.
TEST(HandOver, TheServerOfAnswersJudgesTheTimeToTheFirstTokenToo) {
  for (const std::uint64_t limit : {39, 40}) {
    HandOver hand_over({});
    BatchService prompts(0, spec_of(BatchSpec::Phase::kPrefill), 0, {{}, nullptr, nullptr, &hand_over});
    RequestSpec spec = spec_of(BatchSpec::Phase::kDecode);
    spec.batch->first_token_ps = limit;
    std::vector<RequestRecord> records;
    BatchService answers(
        1, spec, 0, {[&](const RequestRecord& record) { records.push_back(record); }, nullptr, &hand_over});
    ASSERT_NE(prompts.start(0), nullptr);
    prompts.end(40);
    for (const std::uint64_t now : {40, 50}) {
      ASSERT_NE(answers.start(now), nullptr);
      answers.end(now + 10);
    }
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].tokens->keeps_limits, limit == 40);
  }
}

}  // namespace
}  // namespace heddle
