#include "stimuli/application/batch_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "models/core/config/config_names.h"
#include "stimuli/application/distribution_reader.h"

namespace heddle {

namespace {

constexpr std::int64_t kMostSequences = 1 << 16;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 40;

// The keys of a section, of which the experiment may have stated some anew.
class StatedKeys {
 public:
  StatedKeys(const std::optional<config::Section>& own, const std::optional<config::Section>& stated)
      : own_(own), stated_(stated) {}

  std::optional<config::Value> find(const char* key) const {
    const bool in_own = own_ && own_->has(key);
    if (!stated_ || !stated_->has(key)) return in_own ? std::optional(own_->value(key)) : std::nullopt;
    if (in_own) accept_all(own_->value(key));
    return stated_->value(key);
  }
  StatedKeys section(const char* key) const { return {section_of(own_, key), section_of(stated_, key)}; }

  std::uint64_t count(const char* key, std::int64_t most, std::uint64_t fallback) const {
    const auto value = find(key);
    return value ? static_cast<std::uint64_t>(value->integer({1, most})) : fallback;
  }
  std::uint64_t time_ps(const char* key) const {
    const auto value = find(key);
    if (!value) return 0;
    const std::uint64_t ps = value->time_ps();
    if (ps == 0) value->problem("must be above zero");
    return ps;
  }

 private:
  static std::optional<config::Section> section_of(const std::optional<config::Section>& root,
                                                   const char* key) {
    return root && root->has(key) ? std::optional(root->section(key)) : std::nullopt;
  }

  std::optional<config::Section> own_;
  std::optional<config::Section> stated_;
};

std::size_t read_length(const StatedKeys& keys, const config::Section& place, const char* key,
                        const std::vector<RequestParameter>& parameters) {
  const auto value = keys.find(key);
  const std::string name = value ? value->text() : key;
  std::vector<std::string> known;
  known.reserve(parameters.size());
  for (const RequestParameter& parameter : parameters) known.push_back(parameter.name);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  const std::string problem = fmt::format("the requests have no parameter '{}', which is their {}{}", name,
                                          key, config::suggestion_and_known(name, known));
  value ? value->problem(problem) : place.problem(problem);
  return 0;
}

double typical_length(const RequestSpec& spec, std::size_t place) {
  const RequestParameter& parameter = spec.parameters[place];
  const double length = parameter.column ? spec.arrivals.table->columns[*parameter.column].values.front()
                                         : parameter.distribution.typical();
  return std::max(1.0, std::floor(length));
}

}  // namespace

BatchSpec read_batching(const std::optional<config::Section>& own,
                        const std::optional<config::Section>& stated,
                        const std::vector<RequestParameter>& parameters) {
  const StatedKeys keys(own, stated);
  BatchSpec spec;
  const config::Section& place = own ? *own : *stated;
  spec.prompt = read_length(keys, place, "prompt", parameters);
  spec.output = read_length(keys, place, "output", parameters);
  if (const auto phase = keys.find("phase")) {
    const std::string name = phase->choice({"both", "prefill", "decode"});
    spec.phase = name == "prefill"  ? BatchSpec::Phase::kPrefill
                 : name == "decode" ? BatchSpec::Phase::kDecode
                                    : BatchSpec::Phase::kBoth;
  }
  spec.most_sequences = keys.count("sequences", kMostSequences, spec.most_sequences);
  spec.most_tokens = keys.count("tokens", kMostTokens, spec.most_tokens);
  if (const auto chunked = keys.find("chunked_prefill")) spec.chunks_prompts = chunked->boolean();
  const StatedKeys cache = keys.section("cache");
  spec.cache_tokens = cache.count("tokens", kMostTokens, spec.cache_tokens);
  spec.page_tokens = cache.count("page", kMostTokens, spec.page_tokens);
  if (spec.page_tokens > spec.cache_tokens)
    cache.find(cache.find("page") ? "page" : "tokens")
        ->problem(fmt::format("a page of {} tokens is more than the cache has", spec.page_tokens));
  if (const auto reserve = cache.find("reserve"))
    spec.reserves_output = reserve->choice({"prompt", "answer"}) == "answer";
  const StatedKeys slo = keys.section("slo");
  spec.first_token_ps = slo.time_ps("ttft");
  spec.between_tokens_ps = slo.time_ps("tpot");
  return spec;
}

std::vector<RequestParameter> step_parameters(const RequestSpec& spec) {
  const double prompt = typical_length(spec, spec.batch->prompt);
  const double output = typical_length(spec, spec.batch->output);
  const double read =
      spec.batch->chunks_prompts ? std::min(prompt, static_cast<double>(spec.batch->most_tokens)) : prompt;
  const double values[kStepParameters.size()] = {
      read, 1, read * (read + 1) / 2, 1, prompt + std::ceil(output / 2), 2};
  std::vector<RequestParameter> parameters;
  parameters.reserve(kStepParameters.size());
  for (std::size_t i = 0; i < kStepParameters.size(); ++i)
    parameters.push_back({kStepParameters[i], Distribution::constant(values[i]), std::nullopt});
  return parameters;
}

}  // namespace heddle
