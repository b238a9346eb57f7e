// Applications of a language model: what they launch, how the step follows from parameters, and what is
// refused.

#include "stimuli/application/model_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "models/core/config/data_path.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/application/application.h"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string constant(int value) {
  return "{distribution: constant, value: " + std::to_string(value) + "}";
}

constexpr const char* kClosed = "arrivals: {kind: closed, think_time: 1us, requests: 3}\n";

Application application_of(const std::string& text, const std::string& platform = "a100-80-timed") {
  config::Document document = config::Document::parse("application: mine\n" + text, "mine.yaml");
  document.include("model", "stimuli/language_models");
  const GpuSpec gpu = load_platform(platform);
  Application application = read_application(document.root(), gpu.host);
  set_model(document.root(), application, gpu);
  document.finish();
  return application;
}

std::string problem_of(const std::string& text, const std::string& platform = "a100-80-timed") {
  try {
    application_of(text, platform);
  } catch (const config::Error& error) {
    return error.what();
  }
  return "";
}

std::map<std::string, std::uint64_t> launches_of(const ApiProgram& program) {
  const std::vector<std::uint64_t> launches = launches_per_execution(program);
  std::map<std::string, std::uint64_t> result;
  for (std::size_t i = 0; i < launches.size(); ++i) result[program.kernels[i].name] = launches[i];
  return result;
}

TEST(ModelKernels, AStepLaunchesTheKernelsOfEachLayerInOrder) {
  const Application application = application_of(
      "model: llama-7b\nstep: {decode_sequences: 4, decode_context: 400, outputs: 4}\nprogram: [forward]\n");
  std::map<std::string, std::uint64_t> launches = launches_of(application.program);
  EXPECT_EQ(launches["embedding"], 1u);
  EXPECT_EQ(launches["norm"], 64u);
  EXPECT_EQ(launches["qkv"], 32u);
  EXPECT_EQ(launches["attention_decode"], 32u);
  EXPECT_EQ(launches["attention_prefill"], 0u);
  EXPECT_EQ(launches["last"], 1u);
  std::vector<std::string> order;
  for (const ApiCall& call : application.program.calls)
    if (call.kind == ApiCall::Kind::kLaunch) order.push_back(application.program.kernels[call.kernel].name);
  EXPECT_EQ(order, (std::vector<std::string>{"embedding", "norm", "qkv", "rotary", "cache",
                                             "attention_prefill", "attention_decode", "output", "norm",
                                             "gate_up", "activation", "down", "last_norm", "last"}));
}

TEST(ModelKernels, ARequestGivesTheStepItsParameters) {
  const Application application =
      application_of(std::string(kClosed) + "model: llama-7b\nparameters: {prompts: " + constant(0) +
                     ", decoding: " + constant(4) + ", length: " + constant(100) +
                     "}\n"
                     "step: {prefill_tokens: prompts * length, prefill_sequences: prompts, "
                     "prefill_pairs: 'ceil(prompts * length * (length + 1), 2)', decode_sequences: decoding, "
                     "decode_context: decoding * length}\nprogram: [forward, {synchronise: all}]\n");
  ApiProgram program = application.program;
  std::map<std::string, std::uint64_t> launches = launches_of(program);
  EXPECT_EQ(launches["attention_prefill"], 0u);
  EXPECT_EQ(launches["last"], 0u);
  RequestValues values{};
  values[0] = 2;
  values[1] = 0;
  values[2] = 1000;
  ASSERT_TRUE(program.set_request);
  program.set_request(values, program);
  launches = launches_of(program);
  EXPECT_EQ(launches["attention_prefill"], 32u);
  EXPECT_EQ(launches["attention_decode"], 0u);
  for (const ApiKernel& kernel : program.kernels)
    if (kernel.name == "gate_up") {
      EXPECT_GE(kernel.blocks * 32768, 2000u * 22016);
      EXPECT_GT(kernel.product_load, kFullProducts / 2);
    }
  values[0] = 0;
  program.set_request(values, program);
  for (const auto& [name, count] : launches_of(program)) EXPECT_EQ(count, 0u) << name;
}

TEST(ModelKernels, AParameterWithTheNameOfANumberTellsIt) {
  const Application application =
      application_of(std::string(kClosed) + "model: qwen3-4b\nparameters: {decode_sequences: " + constant(8) +
                     ", decode_context: " + constant(80) + ", outputs: " + constant(8) +
                     "}\n"
                     "program: [forward]\n");
  EXPECT_EQ(launches_of(application.program)["attention_decode"], 36u);
}

TEST(ModelKernels, StandBesideKernelsAndCallsOfTheApplication) {
  const Application application = application_of(
      "measured_on: a100-80-timed\nmodel: {base: llama-7b, layers: 2}\nfusions: {rotary_cache: on}\n"
      "step: {decode_sequences: 1, decode_context: 9, outputs: 1}\n"
      "kernels: {sample: {blocks: 1, threads: 256, time: 20us}}\n"
      "program: [{forward: step, stream: a, priority: 3}, {launch: sample, stream: a}]\n");
  std::map<std::string, std::uint64_t> launches = launches_of(application.program);
  EXPECT_EQ(launches["sample"], 1u);
  EXPECT_EQ(launches["rotary_cache"], 2u);
  EXPECT_EQ(launches.count("cache"), 0u);
  for (const ApiCall& call : application.program.calls)
    if (call.kind == ApiCall::Kind::kLaunch && call.kernel > 0) {
      EXPECT_EQ(call.stream, 1u);
      EXPECT_EQ(call.priority, 3);
    }
}

TEST(ModelKernels, SeveralLayersAtOnceAreFewerAndLongerKernelsWithTheSameWork) {
  const std::string step =
      "model: llama-7b\nstep: {decode_sequences: 4, decode_context: 400, outputs: 4}\nprogram: [forward]\n";
  const ApiProgram single = application_of(step).program;
  const ApiProgram eight = application_of("layers_at_once: 8\n" + step).program;
  const std::vector<std::uint64_t> single_launches = launches_per_execution(single);
  const std::vector<std::uint64_t> eight_launches = launches_per_execution(eight);
  for (std::size_t i = 0; i < single.kernels.size(); ++i) {
    const ApiKernel& one = single.kernels[i];
    const ApiKernel& of_eight = eight.kernels[i];
    SCOPED_TRACE(one.name);
    EXPECT_EQ(of_eight.blocks, one.blocks);
    EXPECT_EQ(of_eight.port_load, one.port_load);
    EXPECT_EQ(of_eight.block_cycles * eight_launches[i], one.block_cycles * single_launches[i]);
    EXPECT_EQ(of_eight.dram_sectors * eight_launches[i], one.dram_sectors * single_launches[i]);
    EXPECT_EQ(of_eight.l2_sectors * eight_launches[i], one.l2_sectors * single_launches[i]);
  }
  EXPECT_THAT(problem_of("layers_at_once: 5\n" + step),
              AllOf(HasSubstr("mine.yaml:2:"), HasSubstr("32 layers"), HasSubstr("not a multiple")));
}

TEST(ModelKernels, AModelThatCannotBeIsRefusedWithItsPlace) {
  const std::string step = "step: {decode_sequences: 1, decode_context: 9}\nprogram: [forward]\n";
  EXPECT_THAT(problem_of("model: {base: llama-7b, layers: 0}\n" + step),
              AllOf(HasSubstr("mine.yaml:2:"), HasSubstr("model.layers")));
  EXPECT_THAT(problem_of("model: {base: llama-7b, experts: 8}\n" + step),
              AllOf(HasSubstr("mine.yaml:2:"), HasSubstr("model.experts")));
  EXPECT_THAT(problem_of("model: {base: llama-7b, key_value_heads: 5}\n" + step), HasSubstr("evenly"));
  EXPECT_THAT(problem_of("model: llama-7\n" + step), HasSubstr("llama-7b"));
}

TEST(ModelKernels, WhatCannotBeAStepIsRefused) {
  const std::string step = "step: {decode_sequences: 1, decode_context: 9}\n";
  EXPECT_THAT(problem_of("model: llama-7b\nprogram: [forward]\n"), HasSubstr("tells the step"));
  EXPECT_THAT(
      problem_of("model: llama-7b\nstep: {decode_sequences: 9, decode_context: 1}\nprogram: [forward]\n"),
      HasSubstr("in its cache"));
  EXPECT_THAT(problem_of("model: llama-7b\n" + step + "program: [forward]\n", "k20-cusched"),
              HasSubstr("does not say what its SMs compute"));
  EXPECT_THAT(problem_of("model: llama-7b\n" + step + "setup: [forward]\nprogram: [forward]\n"),
              HasSubstr("parameters of a request"));
  EXPECT_THAT(problem_of("measured_on: a100-80-timed\nkernels: {k: {blocks: 1, threads: 32, time: 20us}}\n" +
                         step + "program: [forward]\n"),
              AllOf(HasSubstr("names no 'model'"), HasSubstr("there is no 'model'")));
  EXPECT_THAT(problem_of("measured_on: a100-80-timed\nmodel: llama-7b\n" + step +
                         "kernels: {norm: {blocks: 1, threads: 32, time: 20us}}\nprogram: [forward]\n"),
              HasSubstr("'norm' of its own"));
}

}  // namespace
}  // namespace heddle
