#pragma once
// A platform's YAML -> GpuSpec. `heddle list keys` prints every key with its default, or that it is required.
// A platform with the key `base` holds what differs from another one: see config::Document::load_derived.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"

namespace heddle {

// Reads the platform; problems are recorded in its document. Values that contradict each other are problems.
GpuSpec read_platform(const config::Section& root);

// The document of a platform, by name or file (see find_data), with what its base gives it. Its name and its
// description are always its own. Throws config::Error.
config::Document load_platform_document(const std::string& name_or_file);

// Loads by name or file (see find_data) and finishes the document: throws config::Error with every problem.
GpuSpec load_platform(const std::string& name_or_file);

// Every key of a platform as its reader describes it.
std::vector<config::KeyDescription> platform_keys();

// Among policies this key names no decision, but all of them; who takes such a name reads it himself.
constexpr const char* kLabelOfPolicies = "label";

// Reads `policies: {decision: name}` or `{decision: {name: ..., parameter: value}}` into `policies`. A number
// of cycles may be a share of the window, "1%", where there is one.
void read_policies(const config::Section& section, std::map<std::string, PolicyChoice>& policies,
                   std::uint64_t window_cycles = 0);

// Replaces one as the command line's --policy has it, "decision=name"; tells which decision. Throws
// config::Error.
std::string override_policy(const std::string& assignment, std::map<std::string, PolicyChoice>& policies);

// A choice that cannot run on this GPU, or not with so many applications (0: not known), and why.
struct PolicyMisfit {
  std::string decision;
  std::string message;
};
std::optional<PolicyMisfit> misfit(const GpuSpec& spec, const std::map<std::string, PolicyChoice>& policies,
                                   std::size_t applications = 0);

}  // namespace heddle
