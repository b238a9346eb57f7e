#pragma once
// A LanguageModel has the sizes of a decoder-only transformer. stimuli/language_models has the models that
// come with Heddle.

#include <cstdint>
#include <string>

#include "models/core/config/config.h"
#include "models/gpu/arithmetic_spec.h"

namespace heddle {

struct LanguageModel {
  std::string name;
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;           // numbers of a token between layers
  std::uint32_t heads = 0;            // of queries
  std::uint32_t key_value_heads = 0;  // of keys and of values; a divisor of `heads`
  std::uint32_t head_width = 0;
  std::uint32_t feed_forward = 0;  // numbers of a token between the up and the down product
  bool gated = true;               // a gate product stands beside the up product
  std::uint32_t vocabulary = 0;
  double weight_bytes = 2;      // of a weight, also below 1
  double cache_bytes = 2;       // of a key's or a value's number in the cache
  double activation_bytes = 2;  // of a number between two kernels
  NumberType arithmetic = NumberType::kFp16;

  double query_width() const { return static_cast<double>(heads) * head_width; }
  double key_width() const { return static_cast<double>(key_value_heads) * head_width; }  // also of values
  // Returns the weights of the products of all layers, and of the last product.
  double product_weights() const;
};

// Reads the section. Problems are recorded in its document.
LanguageModel read_language_model(const config::Section& section);

// Fusions say which operations of a layer are one kernel. The defaults are the kernels of vLLM 0.2.
struct Fusions {
  bool qkv = true;            // one product makes queries, keys and values; else three
  bool gate_up = true;        // one product makes gate and up; else two
  bool residual = true;       // a norm adds the residual, too; else kernels of their own do
  bool rotary_cache = false;  // one kernel rotates and writes the cache; else two
  bool activation = false;    // the gate and up product applies the activation; else a kernel does
};

Fusions read_fusions(const config::Section& section);

}  // namespace heddle
