#include "platforms/experiment/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tuple>

#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"
#include "platforms/experiment/experiment.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/launch/launch_application.h"

namespace heddle {

namespace {

using Names = std::vector<std::string>;

std::string first_key(const std::string& assignment) {
  return assignment.substr(0, assignment.find_first_of(".=["));
}

bool is_experiment_key(const std::string& assignment) {
  const Names& keys = experiment_keys();
  return std::find(keys.begin(), keys.end(), first_key(assignment)) != keys.end();
}

std::uint64_t count_of(const std::string& option, const std::string& text) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stopped != end)
    throw config::Error({fmt::format("{} {}: expected a number from 0 on", option, text)});
  return count;
}

// A file that the command line names is relative to the current directory, and not to the experiment.
std::string path_or_name(const std::string& platform) {
  return is_file_name(platform) ? std::filesystem::absolute(platform).string() : platform;
}

// Returns the option of a key of a campaign's point, and removes what the option leaves out of the key.
const char* take_option(std::string& key) {
  const std::string prefix = Overrides::kPolicyPrefix;
  if (key == "platform") return "--platform";
  if (key.rfind(prefix, 0) != 0) return "--set";
  key.erase(0, prefix.size());
  return "--policy";
}

// Sets a key of the platform of an experiment. An unknown key may be a misspelt key of the experiment; the
// message then names the nearest key of the experiment.
void set_key(config::Document& platform, const std::string& assignment) {
  const Names known = platform.root().keys();
  set_platform_key(platform, assignment);
  const std::string key = first_key(assignment);
  if (std::find(known.begin(), known.end(), key) != known.end()) return;
  const std::string of_experiment = config::suggestion(key, experiment_keys());
  if (!of_experiment.empty() && config::suggestion(key, known).empty())
    throw config::Error({fmt::format("--set {}: {}: unknown key{}", assignment, key, of_experiment)});
}

const OverrideOption& option_named(const std::string& name) {
  const std::vector<OverrideOption>& options = Overrides::options();
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const OverrideOption& option) { return option.name == name; });
  if (found == options.end()) throw config::Error({fmt::format("there is no option '{}'", name)});
  return *found;
}

}  // namespace

const std::vector<OverrideOption>& Overrides::options() {
  static const std::vector<OverrideOption> all{
      {"--platform", "TEXT", "run on this platform instead of the experiment's", false, false,
       [](Overrides& to, const std::string& value) { to.platform = value; },
       [](const Overrides& of) { return of.platform.has_value(); }},
      {"--set", "KEY=VALUE", "override one value", true, false,
       [](Overrides& to, const std::string& value) { to.sets.push_back(value); },
       [](const Overrides& of) { return !of.sets.empty(); }},
      {"--policy", "DECISION=NAME|{name: NAME, PARAMETER: VALUE}", "replace a policy: sm_partitioner=token",
       true, false, [](Overrides& to, const std::string& value) { to.policies.push_back(value); },
       [](const Overrides& of) { return !of.policies.empty(); }},
      {"--seed", "UINT", "seed of the experiment's random draws", false, true,
       [](Overrides& to, const std::string& value) { to.seed = count_of("--seed", value); },
       [](const Overrides& of) { return of.seed.has_value(); }}};
  return all;
}

Names Overrides::names() {
  Names all;
  for (const OverrideOption& option : options()) all.emplace_back(option.name);
  return all;
}

void Overrides::add(const std::string& option, const std::string& value) {
  option_named(option).add(*this, value);
}

void Overrides::assign(const std::string& key, const std::string& value) {
  std::string rest = key;
  const std::string option = take_option(rest);
  add(option, option == "--platform" ? value : rest + "=" + value);
}

std::string Overrides::option_of(const std::string& key, const std::string& value) {
  std::string rest = key;
  const char* const option = take_option(rest);
  return rest == "platform" ? fmt::format("{} {}", option, value)
                            : fmt::format("{} {}={}", option, rest, value);
}

Names Overrides::given() const {
  Names all;
  for (const OverrideOption& option : options())
    if (option.is_given(*this)) all.emplace_back(option.name);
  return all;
}

std::set<std::string> Overrides::replaced_decisions() const {
  std::set<std::string> decisions;
  for (const std::string& assignment : policies) decisions.insert(decision_of(assignment));
  return decisions;
}

Names Overrides::launch_parameters() const {
  Names parameters;
  for (const std::string& set : sets)
    if (const std::string parameter = parameter_set(set); !parameter.empty()) parameters.push_back(parameter);
  return parameters;
}

Names Overrides::only_launch_parameters(const std::string& where) const {
  for (const std::string& set : sets)
    if (parameter_set(set).empty())
      throw config::Error({fmt::format("--set {}: {} only parameters.NAME is set", set, where)});
  return launch_parameters();
}

Names Overrides::platform_sets() const {
  Names others;
  for (const std::string& set : sets)
    if (!is_experiment_key(set) && parameter_set(set).empty()) others.push_back(set);
  return others;
}

void Overrides::apply_to_experiment(config::Document& experiment) const {
  for (const std::string& set : sets)
    if (is_experiment_key(set)) experiment.set(set);
  if (seed) experiment.set(fmt::format("seed={}", *seed), fmt::format("--seed {}", *seed));
  if (platform) experiment.set_text("platform", path_or_name(*platform), "--platform " + *platform);
}

void Overrides::apply_to_its_platform(config::Document& document) const {
  for (const std::string& set : platform_sets()) set_key(document, set);
}

void Overrides::apply_to_platform(config::Document& document) const {
  for (const std::string& set : sets) set_platform_key(document, set);
}

void Overrides::apply_to_policies(std::map<std::string, PolicyChoice>& choices,
                                  std::uint64_t window_cycles) const {
  for (const std::string& assignment : policies) override_policy(assignment, choices, window_cycles);
}

bool operator<(const Overrides& a, const Overrides& b) {
  return std::tie(a.platform, a.sets, a.policies, a.seed) < std::tie(b.platform, b.sets, b.policies, b.seed);
}

std::string decision_of(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

}  // namespace heddle
