// The work of a step of a language model, in closed form: FLOPs by weights and tokens, bytes by weights and
// cache.

#include "stimuli/transformer/forward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/core/config/data_path.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

LanguageModel model_of(const std::string& name) {
  const config::Document document = config::Document::load(find_data("stimuli/language_models", name));
  LanguageModel model = read_language_model(document.root());
  document.finish();
  return model;
}

StepWork prefill(double sequences, double length) {
  return {sequences * length, sequences, sequences * length * (length + 1) / 2, 0, 0, sequences};
}
StepWork decode(double sequences, double length) {
  return {0, 0, 0, sequences, sequences * length, sequences};
}

struct Sum {
  double product_flops = 0;
  double product_bytes = 0;
  double attention_flops = 0;
  double attention_bytes = 0;
  std::size_t launches = 0;
};

Sum sum_of(const LanguageModel& model, const StepWork& step, const Fusions& fusions = {}) {
  const Forward forward = forward_of(model, fusions);
  Sum sum;
  const auto add = [&](const std::vector<std::size_t>& kernels, double times) {
    for (const std::size_t kernel : kernels) {
      const KernelWork work = work_of(forward.kernels[kernel], model, step);
      (work.is_product ? sum.product_flops : sum.attention_flops) += times * work.flops;
      if (work.is_product) sum.product_bytes += times * work.dram_bytes;
      if (work.is_attention) sum.attention_bytes += times * work.dram_bytes;
      sum.launches += work.is_none() ? 0 : static_cast<std::size_t>(times);
    }
  };
  add(forward.before, 1);
  add(forward.layer, model.layers);
  add(forward.behind, 1);
  return sum;
}

TEST(LanguageModels, HaveTheWeightsThatTheirNamesSay) {
  EXPECT_NEAR(model_of("llama-7b").product_weights(), 6.61e9, 0.01e9);  // 6.74e9 with the embedding
  EXPECT_NEAR(model_of("llama-13b").product_weights(), 12.85e9, 0.01e9);
  EXPECT_NEAR(model_of("llama-30b").product_weights(), 32.32e9, 0.01e9);
  EXPECT_NEAR(model_of("llama-65b").product_weights(), 65.02e9, 0.01e9);
  EXPECT_NEAR(model_of("llama-3-8b").product_weights(), 7.50e9, 0.01e9);
  EXPECT_NEAR(model_of("qwen3-4b").product_weights(), 4.02e9, 0.01e9);
}

TEST(Forward, ProductsTakeTwoFlopsAWeightAndToken) {
  const LanguageModel model = model_of("llama-3-8b");
  StepWork step = prefill(3, 100);
  const double last = static_cast<double>(model.hidden) * model.vocabulary;
  EXPECT_DOUBLE_EQ(sum_of(model, step).product_flops,
                   2 * (model.product_weights() - last) * 300 + 2 * last * 3);
  step = decode(5, 100);
  EXPECT_DOUBLE_EQ(sum_of(model, step).product_flops, 2 * model.product_weights() * 5);
}

TEST(Forward, ADecodingStepReadsTheWeightsOnceAndTheCacheOnce) {
  const LanguageModel model = model_of("llama-3-8b");
  const StepWork step = decode(1, 2000);
  const Sum sum = sum_of(model, step);
  EXPECT_NEAR(sum.product_bytes / (2 * model.product_weights()), 1, 1e-3);
  EXPECT_GT(sum.product_bytes, 2 * model.product_weights());  // and activations
  const double cache = 2.0 * model.layers * model.key_value_heads * model.head_width * 2000 * 2;
  const double own = 2.0 * model.layers * model.heads * model.head_width * 2;  // queries and results
  EXPECT_DOUBLE_EQ(sum.attention_bytes, cache + own);
  EXPECT_DOUBLE_EQ(sum.attention_flops, 4.0 * model.layers * model.heads * model.head_width * 2000);
}

// The second half of a prompt attends to all of it, and reads the keys and values of both halves.
TEST(Forward, APartOfAPromptAttendsToWhatStoodBeforeIt) {
  const LanguageModel model = model_of("llama-7b");
  const Sum whole = sum_of(model, prefill(1, 1000));
  const Sum first = sum_of(model, prefill(1, 500));
  const StepWork rest{500, 1, 1000.0 * 1001 / 2 - 500.0 * 501 / 2, 0, 0, 1};
  const Sum second = sum_of(model, rest);
  EXPECT_DOUBLE_EQ(first.attention_flops + second.attention_flops, whole.attention_flops);
  const double key =
      2.0 * model.layers * model.key_width() * 2;  // a key and a value of a token in all layers
  const double own = 2.0 * model.layers * model.query_width() * 2;
  EXPECT_DOUBLE_EQ(second.attention_bytes, 1000 * key + 500 * own);
}

TEST(Forward, FusionsChangeTheKernelsAndNotTheFlops) {
  const LanguageModel model = model_of("llama-7b");
  const StepWork step = decode(4, 100);
  const Sum usual = sum_of(model, step);
  EXPECT_EQ(usual.launches, 3 + 32u * 10);
  const Sum apart = sum_of(model, step, {false, false, false, false, false});
  EXPECT_EQ(apart.launches, 3 + 32u * 15);
  const Sum fused = sum_of(model, step, {true, true, true, true, true});
  EXPECT_EQ(fused.launches, 3 + 32u * 8);
  EXPECT_DOUBLE_EQ(apart.product_flops, usual.product_flops);
  EXPECT_DOUBLE_EQ(fused.product_flops, usual.product_flops);
  EXPECT_LT(fused.product_bytes, usual.product_bytes);  // half of what gate and up make is not stored
}

TEST(Forward, AKernelWithoutRowsHasNothingToDo) {
  const LanguageModel model = model_of("llama-7b");
  StepWork both = prefill(1, 10);
  both.decode_sequences = 2;
  both.decode_context = 20;
  both.outputs = 0;
  EXPECT_EQ(sum_of(model, prefill(1, 10)).launches, 3 + 32u * 10);
  EXPECT_EQ(sum_of(model, both).launches, 1 + 32u * 11);
  EXPECT_EQ(sum_of(model, {}).launches, 0u);
}

TEST(Forward, AStepThatCannotBeSaysWhy) {
  EXPECT_THAT(problem_of(prefill(4, 512)), IsEmpty());
  EXPECT_THAT(problem_of(decode(4, 1)), IsEmpty());
  EXPECT_THAT(problem_of({}), IsEmpty());
  EXPECT_THAT(problem_of({0.5, 1, 1, 0, 0, 0}), HasSubstr("0.5"));
  EXPECT_THAT(problem_of({10, 0, 55, 0, 0, 0}), HasSubstr("tokens and sequences"));
  EXPECT_THAT(problem_of({0, 1, 0, 0, 0, 0}), HasSubstr("tokens and sequences"));
  EXPECT_THAT(problem_of({2, 3, 3, 0, 0, 0}), HasSubstr("more sequences"));
  EXPECT_THAT(problem_of({10, 1, 9, 0, 0, 0}), HasSubstr("attends to itself"));
  EXPECT_THAT(problem_of({0, 0, 9, 0, 0, 0}), HasSubstr("pairs without"));
  EXPECT_THAT(problem_of({0, 0, 0, 4, 3, 0}), HasSubstr("in its cache"));
  EXPECT_THAT(problem_of({0, 0, 0, 0, 3, 0}), HasSubstr("in its cache"));
  EXPECT_THAT(problem_of({0, 0, 0, 4, 8, 5}), HasSubstr("more outputs"));
}

}  // namespace
}  // namespace heddle
