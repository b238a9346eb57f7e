#pragma once
// A platform's YAML -> GpuSpec. platforms/k20-cusched.yaml shows every key; each is required unless a default
// is said there.

#include <optional>

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"

namespace heddle {

// Reads the platform; problems are recorded in its document. Values that contradict each other are problems.
GpuSpec read_platform(const config::Section& root);

// Loads by name or file (see find_data) and finishes the document: throws config::Error with every problem.
GpuSpec load_platform(const std::string& name_or_file);

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
