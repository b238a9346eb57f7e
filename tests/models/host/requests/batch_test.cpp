// Steps of a batch: which sequences read how many tokens, who waits, and who loses its pages of the cache.

#include "models/host/requests/batch.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <vector>

#include "models/core/base/random.h"

namespace heddle {
namespace {

BatchSpec spec_of(std::uint64_t sequences, std::uint64_t tokens, bool chunks) {
  BatchSpec spec;
  spec.prompt = 0;
  spec.output = 1;
  spec.most_sequences = sequences;
  spec.most_tokens = tokens;
  spec.chunks_prompts = chunks;
  spec.page_tokens = 1;
  return spec;
}

Request request_of(std::uint64_t number, double prompt, double output) {
  Request request;
  request.number = number;
  request.values = {prompt, output};
  return request;
}

// A batch and the requests that wait for it, which come into it in their order.
class Steps {
 public:
  Steps(const BatchSpec& spec, std::vector<Request> waiting) : batch_(spec), waiting_(std::move(waiting)) {}

  // Plans the step that begins now.
  BatchStep plan(std::uint64_t now_ps = 0) {
    batch_.open();
    while (next_ < waiting_.size() && batch_.can_take(waiting_[next_]))
      batch_.take(waiting_[next_++], now_ps);
    return batch_.close();
  }
  void end(std::uint64_t now_ps) {
    batch_.end(
        now_ps, [this](const Batch::Sequence& of, std::uint64_t) { ++tokens_[of.request.number]; },
        [this](const Batch::Sequence& of) { ended_.push_back(of); });
  }
  // Makes steps of 10 ps until all have ended.
  std::uint64_t run() {
    std::uint64_t steps = 0;
    for (; next_ < waiting_.size() || !batch_.is_empty(); ++steps) {
      plan(10 * steps);
      end(10 * steps + 10);
    }
    return steps;
  }

  Batch& batch() { return batch_; }
  std::map<std::uint64_t, std::uint64_t>& tokens() { return tokens_; }
  const std::vector<Batch::Sequence>& ended() const { return ended_; }
  std::size_t taken() const { return next_; }

 private:
  Batch batch_;
  std::vector<Request> waiting_;
  std::size_t next_ = 0;
  std::map<std::uint64_t, std::uint64_t> tokens_;  // by request
  std::vector<Batch::Sequence> ended_;
};

TEST(Batch, APromptIsReadOnceAndEachFurtherTokenTakesAStep) {
  Steps steps(spec_of(8, 100, true), {request_of(0, 40, 3)});
  const BatchStep prefill = steps.plan();
  EXPECT_EQ(prefill.prefill_tokens, 40U);
  EXPECT_EQ(prefill.prefill_sequences, 1U);
  EXPECT_EQ(prefill.prefill_pairs, 40U * 41 / 2);
  EXPECT_EQ(prefill.decode_sequences, 0U);
  EXPECT_EQ(prefill.outputs, 1U);
  steps.end(10);
  const BatchStep decode = steps.plan();
  EXPECT_EQ(decode.prefill_tokens, 0U);
  EXPECT_EQ(decode.decode_sequences, 1U);
  EXPECT_EQ(decode.decode_context, 41U) << "the prompt and its first token";
  steps.end(25);
  EXPECT_EQ(steps.plan().decode_context, 42U);
  steps.end(30);
  ASSERT_EQ(steps.ended().size(), 1U);
  EXPECT_EQ(steps.ended()[0].first_ps, 10U);
  EXPECT_EQ(steps.ended()[0].last_ps, 30U);
  EXPECT_EQ(steps.ended()[0].longest_gap_ps, 15U);
  EXPECT_EQ(steps.plan().sequences(), 0U);
}

TEST(Batch, DecodingSequencesComeFirstAndPromptsShareTheRestInChunks) {
  Steps steps(spec_of(8, 10, true), {request_of(0, 4, 9), request_of(1, 25, 9)});
  const BatchStep first = steps.plan();
  EXPECT_EQ(first.prefill_tokens, 10U) << "four of one prompt, six of the other";
  EXPECT_EQ(first.prefill_sequences, 2U);
  EXPECT_EQ(first.prefill_pairs, 10U + 21U);
  EXPECT_EQ(first.outputs, 1U);
  steps.end(10);
  const BatchStep second = steps.plan();
  EXPECT_EQ(second.decode_sequences, 1U);
  EXPECT_EQ(second.prefill_tokens, 9U);
  EXPECT_EQ(second.prefill_pairs, 9U * 6 + 45) << "nine tokens behind six that are in the cache";
  EXPECT_EQ(second.outputs, 1U);
  steps.end(20);
  EXPECT_EQ(steps.plan().prefill_tokens, 9U);
  steps.end(30);
  const BatchStep last = steps.plan();
  EXPECT_EQ(last.prefill_tokens, 1U);
  EXPECT_EQ(last.outputs, 2U) << "the one token of the prompt that was left makes its first token";
}

TEST(Batch, WithoutChunksWholePromptsHaveStepsOfTheirOwn) {
  Steps steps(spec_of(8, 10, false), {request_of(0, 4, 9), request_of(1, 6, 9), request_of(2, 25, 9)});
  const BatchStep first = steps.plan();
  EXPECT_EQ(first.prefill_tokens, 10U);
  EXPECT_EQ(first.outputs, 2U);
  steps.end(10);
  const BatchStep alone = steps.plan();
  EXPECT_EQ(alone.prefill_tokens, 25U) << "longer than a step may be";
  EXPECT_EQ(alone.decode_sequences, 0U) << "the others wait";
  steps.end(20);
  EXPECT_EQ(steps.plan().decode_sequences, 3U);
}

TEST(Batch, NoMoreSequencesThanItsLimitAreInService) {
  Steps steps(spec_of(2, 100, true), {request_of(0, 4, 1), request_of(1, 4, 2), request_of(2, 4, 1)});
  EXPECT_EQ(steps.plan().prefill_sequences, 2U);
  steps.end(10);
  const BatchStep second = steps.plan();
  EXPECT_EQ(second.decode_sequences, 1U);
  EXPECT_EQ(second.prefill_sequences, 1U) << "in the place of the one that has ended";
}

TEST(Batch, ARequestWaitsForTheMemoryOfItsPromptOrOfItsWholeAnswer) {
  for (const bool reserves : {false, true}) {
    BatchSpec spec = spec_of(8, 100, true);
    spec.cache_tokens = 20;
    spec.page_tokens = 4;
    spec.reserves_output = reserves;
    Steps steps(spec, {request_of(0, 8, 5), request_of(1, 8, 5)});
    steps.plan();
    EXPECT_EQ(steps.taken(), reserves ? 1U : 2U);
    EXPECT_EQ(steps.batch().used_pages(), reserves ? 3U : 4U)
        << "the last token of an answer is never cached";
  }
}

TEST(Batch, TheSequenceThatCameLastLosesItsPagesAndIsReadAgainWithWhatItHadGenerated) {
  BatchSpec spec = spec_of(8, 100, true);
  spec.cache_tokens = 10;
  Steps steps(spec, {request_of(0, 4, 4), request_of(1, 4, 4)});
  steps.plan();
  steps.end(10);
  EXPECT_EQ(steps.plan().decode_sequences, 2U);
  EXPECT_EQ(steps.batch().used_pages(), 10U);
  steps.end(20);
  const BatchStep alone = steps.plan();
  EXPECT_EQ(alone.decode_sequences, 1U);
  EXPECT_EQ(alone.decode_context, 6U);
  EXPECT_EQ(steps.batch().evictions(), 1U);
  EXPECT_EQ(steps.batch().used_pages(), 6U);
  steps.end(30);
  EXPECT_EQ(steps.plan().decode_sequences, 1U) << "there is no room for both";
  steps.end(40);
  ASSERT_EQ(steps.ended().size(), 1U);
  const BatchStep again = steps.plan();
  EXPECT_EQ(again.prefill_tokens, 6U) << "four of the prompt and two that it had generated";
  EXPECT_EQ(again.outputs, 1U);
  steps.end(50);
  steps.plan();
  steps.end(60);
  ASSERT_EQ(steps.ended().size(), 2U);
  EXPECT_EQ(steps.ended()[1].evictions, 1U);
  EXPECT_EQ(steps.ended()[1].longest_gap_ps, 30U);
  EXPECT_EQ(steps.tokens()[1], 4U);
  EXPECT_EQ(steps.batch().used_pages(), 0U);
}

TEST(Batch, AServerOfPromptsEndsARequestWithItsFirstToken) {
  BatchSpec spec = spec_of(8, 100, true);
  spec.phase = BatchSpec::Phase::kPrefill;
  spec.cache_tokens = 40;
  spec.reserves_output = true;
  Steps steps(spec, {request_of(0, 40, 300)});
  EXPECT_EQ(steps.plan().prefill_tokens, 40U) << "the answer needs no room here";
  steps.end(10);
  ASSERT_EQ(steps.ended().size(), 1U);
  EXPECT_EQ(steps.tokens()[0], 1U);
}

TEST(Batch, AServerOfDecodesGoesOnBehindTheFirstToken) {
  for (const bool chunks : {false, true}) {
    BatchSpec spec = spec_of(8, 2, chunks);
    spec.phase = BatchSpec::Phase::kDecode;
    Request request = request_of(0, 40, 3);
    request.first_token_ps = 7;
    Steps steps(spec, {request});
    const BatchStep step = steps.plan();
    EXPECT_EQ(step.prefill_tokens, 0U);
    EXPECT_EQ(step.decode_sequences, 1U);
    EXPECT_EQ(step.decode_context, 41U);
    EXPECT_EQ(steps.batch().used_pages(), 41U);
    steps.end(20);
    steps.plan();
    steps.end(30);
    ASSERT_EQ(steps.ended().size(), 1U);
    EXPECT_EQ(steps.tokens()[0], 2U);
    EXPECT_EQ(steps.ended()[0].first_ps, 7U);
    EXPECT_EQ(steps.ended()[0].longest_gap_ps, 13U) << "with the way from the server of prompts";
  }
}

TEST(Batch, ARequestThatCanNeverBeServedIsRefused) {
  BatchSpec spec = spec_of(8, 100, true);
  spec.cache_tokens = 10;
  Batch batch(spec);
  batch.open();
  for (const Request& request : {request_of(3, 9, 3), request_of(3, 0, 3), request_of(3, 2.5, 3)})
    EXPECT_THROW(
        {
          batch.can_take(request);
          batch.take(request, 0);
        },
        std::runtime_error);
  EXPECT_NO_THROW(batch.take(request_of(3, 8, 3), 0)) << "8 of the prompt and two of three tokens fit";
}

// Whatever the limits are, every request gets its tokens, each step keeps to them, and the pages come back.
TEST(Batch, RandomBatchesServeEveryRequestWithinTheirLimits) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    BatchSpec spec = spec_of(1 + random.below(9), 1 + random.below(60), random.below(2) == 0);
    spec.page_tokens = 1 + random.below(5);
    spec.cache_tokens = 60 + random.below(200);
    spec.reserves_output = random.below(3) == 0;
    const bool decodes = random.below(4) == 0;
    if (decodes) spec.phase = BatchSpec::Phase::kDecode;
    std::vector<Request> requests;
    std::uint64_t prompts = 0;
    std::map<std::uint64_t, std::uint64_t> answers;
    for (std::uint64_t i = 0; i < 40; ++i) {
      requests.push_back(request_of(i, 1.0 + static_cast<double>(random.below(30)),
                                    (decodes ? 2.0 : 1.0) + static_cast<double>(random.below(25))));
      prompts += decodes ? 0 : static_cast<std::uint64_t>(requests.back().values[0]);
      answers[i] = static_cast<std::uint64_t>(requests.back().values[1]) - (decodes ? 1 : 0);
    }
    Steps steps(spec, requests);
    std::uint64_t read = 0;
    std::uint64_t now = 0;
    while (steps.taken() < requests.size() || !steps.batch().is_empty()) {
      const BatchStep step = steps.plan(now);
      ASSERT_GT(step.sequences(), 0U) << "seed " << seed << ": nothing goes on";
      ASSERT_LE(steps.batch().sequences(), spec.most_sequences) << "seed " << seed;
      ASSERT_LE(steps.batch().used_pages() * spec.page_tokens, spec.cache_tokens) << "seed " << seed;
      if (spec.chunks_prompts)
        ASSERT_LE(step.prefill_tokens + step.decode_sequences, spec.most_tokens) << "seed " << seed;
      else
        ASSERT_TRUE(step.prefill_sequences <= 1 || step.prefill_tokens <= spec.most_tokens)
            << "seed " << seed;
      read += step.prefill_tokens;
      steps.end(now += 10);
    }
    ASSERT_EQ(steps.tokens(), answers) << "seed " << seed;
    ASSERT_EQ(steps.batch().used_pages(), 0U) << "seed " << seed;
    ASSERT_GE(read, prompts) << "seed " << seed;
    ASSERT_EQ(read == prompts, steps.batch().evictions() == 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace heddle
