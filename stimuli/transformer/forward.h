#pragma once
// The kernels of one step of a language model, and the work of each as a function of the step's tokens.
//
//   before the layers   embedding
//   each layer          norm, qkv, rotary, cache, attention_prefill, attention_decode, output, norm, gate_up,
//                       activation, down
//   behind the layers   last_norm, last
//
// Fusions change this list: q, k and v stand for qkv, gate and up for gate_up, rotary_cache for rotary and
// cache, and `add` stands behind output and down where norms do not add residuals. Pure arithmetic.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/host/requests/batch_spec.h"
#include "stimuli/transformer/language_model.h"

namespace heddle {

// What a step of a batch has to do. All are whole numbers.
struct StepWork {
  double prefill_tokens = 0;     // tokens of prompts
  double prefill_sequences = 0;  // to which these belong
  double prefill_pairs =
      0;  // the sum, over these tokens, of the tokens that each attends to, itself included
  double decode_sequences = 0;  // sequences that go on by one token
  double decode_context = 0;    // the sum, over these, of their tokens in the cache
  double outputs = 0;           // sequences that get a next token

  double tokens() const { return prefill_tokens + decode_sequences; }
};
// `values` has one for each of kStepParameters, which are the names of the members in their order.
StepWork step_of(const std::array<double, kStepParameters.size()>& values);

// Returns why no batch can have this step; empty if one can.
std::string problem_of(const StepWork& step);

enum class ForwardKind : std::uint8_t {
  kProduct,
  kNorm,
  kEmbedding,
  kRotary,
  kCache,
  kRotaryCache,
  kAdd,
  kActivation,
  kAttentionPrefill,
  kAttentionDecode,
};

struct ForwardKernel {
  std::string name;
  ForwardKind kind = ForwardKind::kProduct;
  double columns = 0;          // kProduct: of the result
  double depth = 0;            // kProduct: FLOPs of a number of the result, halved
  double written = 0;          // kProduct: columns that are stored; fewer with a fused activation
  bool of_outputs = false;     // it works at the sequences that get a next token, and not at all tokens
  bool adds_residual = false;  // kNorm
};

struct Forward {
  std::vector<ForwardKernel> kernels;
  // The launches, by index of the kernel, in order.
  std::vector<std::size_t> before;
  std::vector<std::size_t> layer;
  std::vector<std::size_t> behind;
};
Forward forward_of(const LanguageModel& model, const Fusions& fusions);

// The work of a kernel in a step. A kernel without rows has nothing to do.
struct KernelWork {
  bool is_product = false;
  double rows = 0;  // of the result of a product; else tokens, or sequences in decoding
  double columns = 0;
  double depth = 0;
  double flops = 0;
  double dram_bytes = 0;      // read and written once each
  double l2_bytes = 0;        // of a product: 0, because its tiles decide
  std::uint64_t pieces = 0;   // that blocks can take; 0 for a product
  bool is_attention = false;  // each piece is a block
  std::uint32_t threads = 0;  // of a block; 0 for a product

  bool is_none() const { return rows == 0; }
};
KernelWork work_of(const ForwardKernel& kernel, const LanguageModel& model, const StepWork& step);

}  // namespace heddle
