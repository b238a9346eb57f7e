// The service of batches: when requests begin and end, what their records say, and the times between tokens.

#include "models/host/requests/batch_service.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace heddle {
namespace {

constexpr std::uint64_t kReady = 1'000'000;

// A server of requests with prompts of 10 tokens and answers of 3.
struct Server {
  explicit Server(std::vector<std::uint64_t> arrivals_ps, BatchSpec batch = {})
      : service(5, spec_of(std::move(arrivals_ps), batch), kReady,
                {[this](const RequestRecord& record) { records.push_back(record); }, nullptr}) {}

  static RequestSpec spec_of(std::vector<std::uint64_t> arrivals_ps, BatchSpec batch) {
    auto table = std::make_shared<ArrivalTable>();
    table->times_ps = std::move(arrivals_ps);
    RequestSpec spec;
    spec.arrivals.kind = ArrivalSpec::Kind::kTimes;
    spec.most_requests = table->times_ps.size();
    spec.arrivals.table = table;
    spec.parameters = {{"prompt", Distribution::constant(10), std::nullopt},
                       {"output", Distribution::constant(3), std::nullopt}};
    batch.prompt = 0;
    batch.output = 1;
    spec.batch = batch;
    return spec;
  }

  // Makes a step from `begin` to `end`, both since the server is ready, and returns its values.
  RequestValues step(std::uint64_t begin, std::uint64_t end) {
    const RequestValues* const values = service.start(kReady + begin);
    EXPECT_NE(values, nullptr);
    const RequestValues copy = values != nullptr ? *values : RequestValues{};
    service.end(kReady + end);
    return copy;
  }

  std::vector<RequestRecord> records;
  BatchService service;
};

constexpr std::size_t kPrefillTokens = 0;
constexpr std::size_t kDecodeSequences = 3;

TEST(BatchService, ARequestJoinsTheNextStepAndLeavesWithItsLastToken) {
  Server server({100, 130});
  EXPECT_EQ(server.service.start(kReady), nullptr);
  EXPECT_EQ(server.service.next_start_ps(), kReady + 100);
  EXPECT_EQ(server.step(100, 150)[kPrefillTokens], 10);
  const RequestValues both = server.step(150, 200);
  EXPECT_EQ(both[kPrefillTokens], 10);
  EXPECT_EQ(both[kDecodeSequences], 1);
  EXPECT_EQ(server.step(200, 230)[kDecodeSequences], 2);
  EXPECT_EQ(server.step(230, 250)[kDecodeSequences], 1) << "the first one has ended";
  EXPECT_EQ(server.service.start(kReady + 250), nullptr);
  EXPECT_EQ(server.service.next_start_ps(), kNoTime);
  ASSERT_EQ(server.records.size(), 2U);
  const RequestRecord& second = server.records[1];
  EXPECT_EQ(second.arrival_ps, kReady + 130);
  EXPECT_EQ(second.start_ps, kReady + 150);
  EXPECT_EQ(second.end_ps, kReady + 250);
  ASSERT_TRUE(second.tokens);
  EXPECT_EQ(second.tokens->tokens, 3U);
  EXPECT_EQ(second.tokens->first_ps, kReady + 200);
  EXPECT_EQ(second.tokens->longest_gap_ps, 30U);
  EXPECT_EQ(server.service.served(), 2U);
}

TEST(BatchService, CountsTheTimesToFirstTokensAndBetweenTokens) {
  Server server({100, 130});
  server.step(100, 150);
  server.step(150, 200);
  server.step(200, 230);
  server.step(230, 250);
  const TokenTotals& totals = *server.service.tokens();
  EXPECT_EQ(totals.steps, 4U);
  EXPECT_EQ(totals.generated, 6U);
  EXPECT_EQ(totals.prefill_tokens, 20U);
  EXPECT_EQ(totals.sequences, 6U);
  EXPECT_EQ(totals.most_sequences, 2U);
  EXPECT_EQ(totals.first_token.histogram.count(), 2U);
  EXPECT_EQ(totals.first_token.sum, 50 + 70);
  EXPECT_EQ(totals.between_tokens.histogram.count(), 4U);
  EXPECT_EQ(totals.between_tokens.sum, 50 + 30 + 30 + 20);
  EXPECT_EQ(totals.mean_between_tokens.sum, 40 + 25);
}

TEST(BatchService, ARequestIsInTimeIfItsFirstTokenAndItsMeanTimeBetweenTokensAre) {
  BatchSpec first;
  first.first_token_ps = 60;
  BatchSpec between;
  between.between_tokens_ps = 30;
  const std::pair<BatchSpec, std::vector<bool>> cases[] = {{first, {true, false}}, {between, {false, true}}};
  for (const auto& [batch, in_time] : cases) {
    Server server({100, 130}, batch);
    server.step(100, 150);
    server.step(150, 200);
    server.step(200, 230);
    server.step(230, 250);
    EXPECT_EQ(server.records[0].is_in_time(), in_time[0]);
    EXPECT_EQ(server.records[1].is_in_time(), in_time[1]);
  }
}

TEST(BatchService, RequestsThatTheBatchHasNoRoomForWaitInTheQueue) {
  BatchSpec batch;
  batch.most_sequences = 1;
  Server server({0, 0, 0}, batch);
  server.step(0, 10);
  server.step(10, 20);
  EXPECT_EQ(server.service.queue().present(), 3U) << "one in service, two that wait";
  server.step(20, 30);
  EXPECT_EQ(server.step(30, 40)[kPrefillTokens], 10);
  ASSERT_EQ(server.records.size(), 1U);
  EXPECT_EQ(server.service.queue().present(), 2U);
}

TEST(BatchService, APolicySeesWhatTheServerKnowsWhenAStepBegins) {
  BatchSpec batch;
  batch.most_tokens = 10;
  batch.first_token_ps = 200;
  batch.between_tokens_ps = 40;
  batch.cache_tokens = 64;
  batch.page_tokens = 16;
  Server server({100, 130, 140}, batch);
  ASSERT_NE(server.service.start(kReady + 100), nullptr);
  EXPECT_EQ(server.service.deadline_ps(), kReady + 300) << "of the first token";
  server.service.end(kReady + 150);
  // The step has one token for the first request and nine of the second prompt.
  ASSERT_NE(server.service.start(kReady + 150), nullptr);
  const BatchView view = server.service.batch_view();
  EXPECT_TRUE(view.is_server);
  EXPECT_EQ(view.phase, BatchPhase::kBoth);
  EXPECT_EQ(view.prefill_tokens, 9U);
  EXPECT_EQ(view.decode_sequences, 1U);
  EXPECT_EQ(view.decode_context, 11U);
  EXPECT_EQ(view.waiting_requests, 1U);
  EXPECT_EQ(view.waiting_tokens, 10U);
  EXPECT_EQ(view.oldest_ps, kReady + 130);
  EXPECT_EQ(view.cache_used, 0.5) << "two of four pages";
  EXPECT_EQ(view.first_token_limit_ps, 200U);
  EXPECT_EQ(view.between_tokens_limit_ps, 40U);
  EXPECT_EQ(server.service.deadline_ps(), kReady + 190) << "of the next token, which comes earlier";
}

}  // namespace
}  // namespace heddle
