#pragma once
// What a user replaces beside the files: --platform, --set, --policy and --seed of the command line and of
// heddle_open(), and the values of a campaign's point. A further option is a field, its row in options() and
// the function here that applies it; verbs and interfaces that take all overrides then take it, too.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "policies/parameters.h"

namespace heddle {

struct Overrides;

struct OverrideOption {
  const char* name;       // "--set"
  const char* type_name;  // of its value, for help texts
  const char* help;       // what it does to an experiment
  bool is_repeated;       // given once for each of its values
  bool is_count;          // the value is a whole number
  void (*add)(Overrides& overrides, const std::string& value);
  bool (*is_given)(const Overrides& overrides);
};

struct Overrides {
  std::vector<std::string> sets;        // "a.b=value"; "parameters.n=value" goes to launch files
  std::vector<std::string> policies;    // "decision=name"; replaces the policy in every variant
  std::optional<std::string> platform;  // replaces the experiment's platform
  std::optional<std::uint64_t> seed;

  // Where a campaign states a policy: "policy.sm_partitioner".
  static constexpr const char* kPolicyPrefix = "policy.";

  static const std::vector<OverrideOption>& options();  // in the order of help texts
  static std::vector<std::string> names();              // of the options

  // Takes the value of an option, which is one of options(). Throws config::Error for a value that is no
  // number where one is needed.
  void add(const std::string& option, const std::string& value);
  // Takes a value of a campaign's point: the key is "platform", "policy.DECISION", or one for --set.
  void assign(const std::string& key, const std::string& value);
  // Returns the option that stands for a value of a campaign's point, as messages name it: "--set
  // sm.count=8".
  static std::string option_of(const std::string& key, const std::string& value);

  std::vector<std::string> given() const;            // the names of the options that were given
  std::set<std::string> replaced_decisions() const;  // by `policies`

  // An experiment takes the sets of its own keys, the platform and the seed; a launch file takes "n=4096" of
  // "parameters.n=4096"; the platform of the experiment takes all others.
  std::vector<std::string> launch_parameters() const;
  std::vector<std::string> platform_sets() const;
  void apply_to_experiment(config::Document& experiment) const;
  void apply_to_its_platform(config::Document& platform) const;
  // A platform without an experiment takes every set.
  void apply_to_platform(config::Document& platform) const;
  // Replaces policies. A parameter may be a share of `window_cycles`: see read_policies().
  void apply_to_policies(std::map<std::string, PolicyChoice>& choices, std::uint64_t window_cycles = 0) const;
  // Returns launch_parameters(). Throws config::Error for any other set; `where` says of what only
  // parameters are set: "of a launch file".
  std::vector<std::string> only_launch_parameters(const std::string& where) const;

  friend bool operator<(const Overrides& a, const Overrides& b);
};

// Returns the decision of a value of --policy, "decision=name".
std::string decision_of(const std::string& assignment);

}  // namespace heddle
