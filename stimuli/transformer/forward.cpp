#include "stimuli/transformer/forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle {

namespace {

constexpr double kQueryRows = 128;  // of a block of the attention of prefill, as in FlashAttention-2
constexpr double kPartition = 512;  // tokens of a block of the attention of decode, as in PagedAttention V2
constexpr std::uint32_t kThreads = 1024;          // of a block that passes over rows, as in vLLM 0.2
constexpr std::uint32_t kAttentionThreads = 128;  // of a block of attention

// Adds kernels, and launches of them.
class Builder {
 public:
  explicit Builder(Forward& forward) : forward_(forward) {}

  std::size_t add(ForwardKernel kernel) {
    forward_.kernels.push_back(std::move(kernel));
    return forward_.kernels.size() - 1;
  }
  std::size_t product(const char* name, double columns, double depth) {
    return add({name, ForwardKind::kProduct, columns, depth, columns});
  }
  void in_layer(std::size_t kernel) { forward_.layer.push_back(kernel); }

 private:
  Forward& forward_;
};

void add_attention(const LanguageModel& model, const Fusions& fusions, Builder& builder) {
  const double query = model.query_width();
  const double key = model.key_width();
  const double hidden = model.hidden;
  if (fusions.qkv) {
    builder.in_layer(builder.product("qkv", query + 2 * key, hidden));
  } else {
    builder.in_layer(builder.product("q", query, hidden));
    builder.in_layer(builder.product("k", key, hidden));
    builder.in_layer(builder.product("v", key, hidden));
  }
  if (fusions.rotary_cache) {
    builder.in_layer(builder.add({"rotary_cache", ForwardKind::kRotaryCache}));
  } else {
    builder.in_layer(builder.add({"rotary", ForwardKind::kRotary}));
    builder.in_layer(builder.add({"cache", ForwardKind::kCache}));
  }
  builder.in_layer(builder.add({"attention_prefill", ForwardKind::kAttentionPrefill}));
  builder.in_layer(builder.add({"attention_decode", ForwardKind::kAttentionDecode}));
  builder.in_layer(builder.product("output", hidden, query));
}

void add_feed_forward(const LanguageModel& model, const Fusions& fusions, Builder& builder) {
  const double width = model.feed_forward;
  const double hidden = model.hidden;
  ForwardKernel up{"up", ForwardKind::kProduct, width, hidden, width};
  if (model.gated && fusions.gate_up)
    up = {"gate_up", ForwardKind::kProduct, 2 * width, hidden, fusions.activation ? width : 2 * width};
  else if (model.gated)
    builder.in_layer(builder.product("gate", width, hidden));
  builder.in_layer(builder.add(up));
  if (!fusions.activation) builder.in_layer(builder.add({"activation", ForwardKind::kActivation}));
  builder.in_layer(builder.product("down", hidden, width));
}

// Returns the keys, and as many values, that the attention of prefill reads of the cache: a sequence's pairs
// are those of its tokens with each other and with all that stood before them.
double prefill_keys(const StepWork& step) {
  const double of_sequence = step.prefill_tokens / step.prefill_sequences;
  return step.prefill_sequences * (step.prefill_pairs / step.prefill_tokens + (of_sequence - 1) / 2);
}

void set_attention_prefill(const LanguageModel& model, const StepWork& step, KernelWork& work) {
  work.rows = step.prefill_tokens;
  work.is_attention = true;
  work.threads = kAttentionThreads;
  if (work.rows == 0) return;
  const double of_sequence = step.prefill_tokens / step.prefill_sequences;
  const double tiles = step.prefill_sequences * std::ceil(of_sequence / kQueryRows);
  const double own = 2 * work.rows * model.query_width() * model.activation_bytes;
  work.pieces = static_cast<std::uint64_t>(tiles * model.heads);
  work.flops = 4 * step.prefill_pairs * model.query_width();
  work.dram_bytes = own + 2 * prefill_keys(step) * model.key_width() * model.cache_bytes;
  const double keys = step.prefill_pairs / step.prefill_tokens;  // that a tile of queries passes over
  work.l2_bytes = own + tiles * 2 * keys * model.query_width() * model.cache_bytes;
}

// A block has the queries that share a head of keys and values.
void set_attention_decode(const LanguageModel& model, const StepWork& step, KernelWork& work) {
  work.rows = step.decode_sequences;
  work.is_attention = true;
  work.threads = kAttentionThreads;
  if (work.rows == 0) return;
  const double partitions = std::ceil(step.decode_context / step.decode_sequences / kPartition);
  work.pieces = static_cast<std::uint64_t>(step.decode_sequences * model.key_value_heads * partitions);
  work.flops = 4 * step.decode_context * model.query_width();
  work.dram_bytes = 2 * step.decode_context * model.key_width() * model.cache_bytes +
                    2 * work.rows * model.query_width() * model.activation_bytes;
  work.l2_bytes = work.dram_bytes;
}

// Returns the bytes that a kernel moves for one token, beside products and attention.
double row_bytes(const ForwardKernel& kernel, const LanguageModel& model) {
  const double number = model.activation_bytes;
  const double query = model.query_width();
  const double key = model.key_width();
  switch (kernel.kind) {
    case ForwardKind::kNorm:
      return (kernel.adds_residual ? 4 : 2) * model.hidden * number;
    case ForwardKind::kEmbedding:
      return model.hidden * (model.weight_bytes + number);
    case ForwardKind::kRotary:
      return 2 * (query + key) * number;
    case ForwardKind::kCache:
      return 2 * key * (number + model.cache_bytes);
    case ForwardKind::kRotaryCache:
      return (2 * query + 2 * key) * number + 2 * key * model.cache_bytes;
    case ForwardKind::kAdd:
      return 3.0 * model.hidden * number;
    default:
      return (model.gated ? 3.0 : 2.0) * model.feed_forward * number;
  }
}

}  // namespace

StepWork step_of(const std::array<double, kStepParameters.size()>& values) {
  return {values[0], values[1], values[2], values[3], values[4], values[5]};
}

std::string problem_of(const StepWork& step) {
  const double least_pairs = step.prefill_tokens;
  for (const double value : {step.prefill_tokens, step.prefill_sequences, step.prefill_pairs,
                             step.decode_sequences, step.decode_context, step.outputs})
    if (!(value >= 0 && value <= 1e15 && value == std::floor(value)))
      return fmt::format("a step has whole numbers of 0 or more, and not {}", value);
  if (step.prefill_tokens > 0 ? step.prefill_sequences < 1 : step.prefill_sequences > 0)
    return "prompts have tokens and sequences, or neither";
  if (step.prefill_sequences > step.prefill_tokens) return "more sequences than tokens of prompts";
  if (step.prefill_pairs < least_pairs)
    return fmt::format("each of {} tokens of prompts attends to itself, so that there are more pairs than {}",
                       step.prefill_tokens, step.prefill_pairs);
  if (step.prefill_tokens == 0 && step.prefill_pairs > 0) return "pairs without tokens of prompts";
  if (step.decode_context < step.decode_sequences || (step.decode_sequences == 0 && step.decode_context > 0))
    return "a decoding sequence has a token in its cache, and only such a sequence has one";
  if (step.outputs > step.prefill_sequences + step.decode_sequences) return "more outputs than sequences";
  return "";
}

Forward forward_of(const LanguageModel& model, const Fusions& fusions) {
  Forward forward;
  Builder builder(forward);
  forward.before.push_back(builder.add({"embedding", ForwardKind::kEmbedding}));
  ForwardKernel norm{"norm", ForwardKind::kNorm};
  norm.adds_residual = fusions.residual;
  const std::size_t layer_norm = builder.add(norm);
  const std::size_t add = fusions.residual ? 0 : builder.add({"add", ForwardKind::kAdd});
  builder.in_layer(layer_norm);
  add_attention(model, fusions, builder);
  if (!fusions.residual) builder.in_layer(add);
  builder.in_layer(layer_norm);
  add_feed_forward(model, fusions, builder);
  if (!fusions.residual) builder.in_layer(add);
  norm.name = "last_norm";
  norm.of_outputs = true;
  forward.behind.push_back(builder.add(norm));
  ForwardKernel last{"last", ForwardKind::kProduct, static_cast<double>(model.vocabulary),
                     static_cast<double>(model.hidden), static_cast<double>(model.vocabulary)};
  last.of_outputs = true;
  forward.behind.push_back(builder.add(last));
  return forward;
}

KernelWork work_of(const ForwardKernel& kernel, const LanguageModel& model, const StepWork& step) {
  KernelWork work;
  if (kernel.kind == ForwardKind::kAttentionPrefill) {
    set_attention_prefill(model, step, work);
    return work;
  }
  if (kernel.kind == ForwardKind::kAttentionDecode) {
    set_attention_decode(model, step, work);
    return work;
  }
  work.rows = kernel.of_outputs ? step.outputs : step.tokens();
  if (work.rows == 0) return work;
  if (kernel.kind == ForwardKind::kProduct) {
    work.is_product = true;
    work.columns = kernel.columns;
    work.depth = kernel.depth;
    work.flops = 2 * work.rows * kernel.columns * kernel.depth;
    work.dram_bytes = kernel.columns * kernel.depth * model.weight_bytes +
                      work.rows * (kernel.depth + kernel.written) * model.activation_bytes;
    return work;
  }
  work.dram_bytes = work.rows * row_bytes(kernel, model);
  work.l2_bytes = work.dram_bytes;
  work.pieces = static_cast<std::uint64_t>(work.rows);
  work.threads = kThreads;
  return work;
}

}  // namespace heddle
