// What an application and its experiment say of batches, and what of it holds.

#include "stimuli/application/batch_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "stimuli/application/application.h"

namespace heddle {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& batching) {
  return "application: mine\nmeasured_on: k20-cusched\n"
         "kernels:\n"
         "  read: {blocks: prefill_tokens, threads: 256, time: 40us + 1us * prefill_tokens}\n"
         "  next: {blocks: 2 * decode_sequences, threads: 256, time: 45us}\n"
         "program: [{launch: read}, {launch: next}]\n"
         "arrivals: {kind: poisson, rate: 10Hz, requests: 5}\n"
         "parameters: {prompt: {distribution: constant, value: 100}, output: {distribution: constant, value: "
         "8}}\n" +
         batching;
}

Application read(const std::string& batching, const std::string& stated = "") {
  const config::Document document = config::Document::parse(text_of(batching), "mine.yaml");
  const config::Document experiment = config::Document::parse("batching: {" + stated + "}\n", "study.yaml");
  StatedRequests requests;
  if (!stated.empty()) requests.batching = experiment.root().section("batching");
  Application application = read_application(document.root(), HostSpec(), requests);
  document.finish();
  if (!stated.empty()) experiment.finish();
  return application;
}

std::string problem_of(const std::string& batching) {
  try {
    read(batching);
  } catch (const config::Error& error) {
    return error.what();
  }
  return "";
}

TEST(BatchReader, HasADefaultForEachKey) {
  const BatchSpec spec = *read("batching: {}\n").requests.spec->batch;
  EXPECT_EQ(spec.prompt, 0U);
  EXPECT_EQ(spec.output, 1U);
  EXPECT_EQ(spec.most_sequences, 256U);
  EXPECT_EQ(spec.most_tokens, 2048U);
  EXPECT_TRUE(spec.chunks_prompts);
  EXPECT_EQ(spec.cache_tokens, BatchSpec::kUnlimited);
  EXPECT_EQ(spec.page_tokens, 16U);
  EXPECT_FALSE(spec.reserves_output);
  EXPECT_FALSE(spec.has_limits());
}

TEST(BatchReader, AnExperimentReplacesSingleKeys) {
  const std::string own =
      "batching: {sequences: 64, tokens: 512, cache: {tokens: 4096, page: 32, reserve: answer}, "
      "slo: {ttft: 1s, tpot: 50ms}}\n";
  const BatchSpec spec =
      *read(own, "tokens: 128, chunked_prefill: off, cache: {tokens: 8192}, slo: {ttft: 2s}")
           .requests.spec->batch;
  EXPECT_EQ(spec.most_sequences, 64U);
  EXPECT_EQ(spec.most_tokens, 128U);
  EXPECT_FALSE(spec.chunks_prompts);
  EXPECT_EQ(spec.cache_tokens, 8192U);
  EXPECT_EQ(spec.page_tokens, 32U);
  EXPECT_TRUE(spec.reserves_output);
  EXPECT_EQ(spec.first_token_ps, 2'000'000'000'000U);
  EXPECT_EQ(spec.between_tokens_ps, 50'000'000'000U);
}

TEST(BatchReader, AmountsFollowTheStepAndAKernelMayHaveNoBlocks) {
  Application application = read("batching: {}\n");
  EXPECT_EQ(application.program.kernels[0].blocks, 100U) << "the prompt of a typical step";
  EXPECT_EQ(application.program.kernels[1].blocks, 2U);
  RequestValues step{};
  step[0] = 0;
  step[3] = 7;
  application.program.set_request(step, application.program);
  EXPECT_EQ(application.program.kernels[0].blocks, 0U);
  EXPECT_EQ(application.program.kernels[1].blocks, 14U);
}

TEST(BatchReader, WhatCannotBeHasOneErrorWithItsPlace) {
  EXPECT_THAT(problem_of("batching: {prompt: length}\n"),
              HasSubstr("the requests have no parameter 'length'"));
  EXPECT_THAT(problem_of("batching: {sequences: 0}\n"), HasSubstr("mine.yaml:"));
  EXPECT_THAT(problem_of("batching: {sequnces: 3}\n"), HasSubstr("sequnces"));
  EXPECT_THAT(problem_of("batching: {cache: {tokens: 8}}\n"), HasSubstr("page"));
  EXPECT_THAT(problem_of("batching: {cache: {tokens: 8, page: 9}}\n"), HasSubstr("more than the cache has"));
  EXPECT_THAT(problem_of("batching: {slo: {ttft: 0s}}\n"), HasSubstr("above zero"));
}

}  // namespace
}  // namespace heddle
