#include "stimuli/transformer/language_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace heddle {

namespace {

constexpr config::Range kWidth{1, 1 << 22};
constexpr config::RealRange kNumberBytes{0.25, 8};

std::uint32_t read_count(const config::Section& section, const char* key, config::Range range) {
  return static_cast<std::uint32_t>(section.integer(key, range));
}

}  // namespace

double LanguageModel::product_weights() const {
  const double width = hidden;
  const double attention = width * (2 * query_width() + 2 * key_width());
  const double feed = width * feed_forward * (gated ? 3 : 2);
  return layers * (attention + feed) + width * vocabulary;
}

LanguageModel read_language_model(const config::Section& section) {
  LanguageModel model;
  model.name = section.text("language_model");
  section.text("description", "");
  section.text("source", "");
  model.layers = read_count(section, "layers", {1, 4096});
  model.hidden = read_count(section, "hidden", kWidth);
  model.heads = read_count(section, "heads", {1, 4096});
  model.key_value_heads = read_count(section, "key_value_heads", {1, 4096});
  model.head_width = read_count(section, "head_width", {1, 4096});
  model.feed_forward = read_count(section, "feed_forward", kWidth);
  model.gated = section.boolean("gated");
  model.vocabulary = read_count(section, "vocabulary", {1, 1 << 26});
  model.weight_bytes = section.real("weight_bytes", kNumberBytes, model.weight_bytes);
  model.cache_bytes = section.real("cache_bytes", kNumberBytes, model.cache_bytes);
  model.activation_bytes = section.real("activation_bytes", kNumberBytes, model.activation_bytes);
  const std::vector<std::string> types(kNumberTypes.begin(), kNumberTypes.end());
  const auto at = std::find(types.begin(), types.end(), section.choice("arithmetic", types));
  if (at != types.end()) model.arithmetic = static_cast<NumberType>(at - types.begin());
  if (model.key_value_heads > 0 && model.heads % model.key_value_heads != 0)
    section.value("key_value_heads").problem(fmt::format("{} heads do not share them evenly", model.heads));
  return model;
}

Fusions read_fusions(const config::Section& section) {
  Fusions fusions;
  fusions.qkv = section.boolean("qkv", fusions.qkv);
  fusions.gate_up = section.boolean("gate_up", fusions.gate_up);
  fusions.residual = section.boolean("residual", fusions.residual);
  fusions.rotary_cache = section.boolean("rotary_cache", fusions.rotary_cache);
  fusions.activation = section.boolean("activation", fusions.activation);
  return fusions;
}

}  // namespace heddle
