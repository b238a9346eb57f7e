#pragma once
// These functions read a platform's YAML into a GpuSpec. `heddle list keys` prints every key with its
// default, or states that the key is required. A platform with the key `base` holds what differs from another
// platform: see config::Document::load_derived.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"

namespace heddle {

// Reads the platform. Problems are recorded in the section's document; values that contradict each other are
// problems too. `replaced` names decisions for which another policy takes the place of the platform's:
// whether the platform's own fits the GPU is not checked.
GpuSpec read_platform(const config::Section& root, const std::set<std::string>& replaced = {});

// Returns the document of a platform, which is a name or a file (see find_data), merged with its bases, and
// with its set of energies where it names one. The name, the description and the energies, which are those of
// one card, are never taken from a base. Throws config::Error.
config::Document load_platform_document(const std::string& name_or_file);

// The names of sets of energies stand for files of this folder.
constexpr const char* kEnergyFolder = "platforms/energy";

// Changes a key of the platform by an assignment of the command line's --set. Throws config::Error.
void set_platform_key(config::Document& document, const std::string& assignment);

// Loads a platform, which is a name or a file (see find_data), and finishes the document. Throws
// config::Error with every problem.
GpuSpec load_platform(const std::string& name_or_file);

// Returns every key of a platform as its reader describes it.
std::vector<config::KeyDescription> platform_keys();

// The key `label` of `policies` is no decision: it names the whole set of policies. read_policies() skips it,
// and a caller that supports labels reads it.
constexpr const char* kLabelOfPolicies = "label";

// Reads `policies: {decision: name}` or `{decision: {name: ..., parameter: value}}` into `policies`. A number
// of cycles may be a share of `window_cycles`, as in "1%", unless window_cycles is 0. Problems are recorded
// in the section's document.
void read_policies(const config::Section& section, std::map<std::string, PolicyChoice>& policies,
                   std::uint64_t window_cycles = 0);

// Replaces one policy by an assignment of the command line's --policy, "decision=name" or "decision={name:
// NAME, parameter: value}", which is read as in read_policies(). Returns the decision. Throws config::Error.
std::string override_policy(const std::string& assignment, std::map<std::string, PolicyChoice>& policies,
                            std::uint64_t window_cycles = 0);

// A PolicyMisfit is a choice that cannot run on this GPU, or not with this number of applications, and the
// reason. misfit() returns the first one. `applications` is 0 if their number is not known.
struct PolicyMisfit {
  std::string decision;
  std::string message;
};
std::optional<PolicyMisfit> misfit(const GpuSpec& spec, const std::map<std::string, PolicyChoice>& policies,
                                   std::size_t applications = 0);

}  // namespace heddle
