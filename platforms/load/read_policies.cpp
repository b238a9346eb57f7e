#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "models/gpu/instance_spec.h"
#include "models/rtl/rtl_role.h"
#include "platforms/load/platform_loader.h"
#include "platforms/load/read_policy.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "policies/submission/i_submission.h"

namespace heddle {

namespace {

// Why the policy cannot be a block in RTL of this GPU; empty if it can, and if it is none.
std::string misfit_of_rtl(const GpuSpec& spec, const std::string& decision, const std::string& policy) {
  const std::string name = rtl_block_of(policy);
  if (name.empty()) return "";
  const auto block = spec.rtl.find(name);
  if (block == spec.rtl.end()) {
    std::vector<std::string> known;
    for (const auto& [other, rtl] : spec.rtl) known.push_back(other);
    return fmt::format("the platform's section rtl has no block '{}'; it has {}", name,
                       known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
  }
  const RtlRole* role = find_rtl_role(block->second.role);
  if (role == nullptr || role->decision == decision) return "";  // no role: its file has a problem of its own
  return fmt::format("the role of the block '{}' is {}, which does not decide {}", name, block->second.role,
                     decision);
}

// Each instance has the policies that are not the one of the split.
std::optional<PolicyMisfit> misfit_of_instances(const GpuSpec& spec,
                                                std::map<std::string, PolicyChoice> policies,
                                                const std::vector<Instance>& instances) {
  policies.erase(Instances::kDecision);
  for (std::size_t i = 0; i < instances.size(); ++i)
    if (auto found = misfit(spec_of(spec, instances[i]), policies, instances[i].applications.size())) {
      found->message = fmt::format("instance {}: {}", i, found->message);
      return found;
    }
  return std::nullopt;
}

}  // namespace

void read_policies(const config::Section& section, std::map<std::string, PolicyChoice>& policies,
                   std::uint64_t window_cycles) {
  for (const std::string& decision : section.keys()) {
    if (decision == kLabelOfPolicies) continue;
    const config::Value value = section.value(decision);
    if (const char* place = PolicyCatalogue::instance().chosen_elsewhere(decision)) {
      value.problem(place);
      continue;
    }
    const PolicyChoice choice = read_policy(decision, value, window_cycles);
    if (choice.name.empty() && !value.is_scalar()) continue;
    try {
      PolicyCatalogue::instance().resolve(decision, choice);
      policies[decision] = choice;
    } catch (const PolicyError& error) {
      value.problem(error.what());
    }
  }
}

namespace {

// The text behind the '=' of --policy: a name, or a section of YAML with the name and parameters.
class AssignedPolicy {
 public:
  AssignedPolicy(const std::string& decision, const std::string& text, const std::string& option,
                 std::uint64_t window_cycles) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string::npos || text[first] != '{') {
      choice_.name = text;
      return;
    }
    document_ = config::Document::implied(fmt::format("policy: {}\n", text), option);
    const config::Value value = document_->root().value("policy");
    if (value.is_section() && !value.section().has("name"))
      throw config::Error({option + ": needs the key 'name'"});
    choice_ = read_policy(decision, value, window_cycles);
  }

  const PolicyChoice& choice() const { return choice_; }
  void finish() const {  // throws config::Error for a value that is none of its parameter
    if (document_) document_->finish();
  }

 private:
  std::optional<config::Document> document_;
  PolicyChoice choice_;
};

// Returns why the partitioner would ignore the split of the SMs that the submission policy makes; empty if it
// follows it, or if there is no split.
std::string misfit_of_split(const std::map<std::string, PolicyChoice>& policies) {
  const auto submission = policies.find(Submission::kDecision);
  if (submission == policies.end()) return "";
  if (PolicyRegistry<Submission>::make(submission->second)->split() == nullptr) return "";
  const auto partitioner = policies.find(SmPartitioner::kDecision);
  if (partitioner == policies.end() || partitioner->second.name.rfind("rtl.", 0) == 0) return "";
  if (PolicyRegistry<SmPartitioner>::make(partitioner->second)->follows_tokens()) return "";
  return fmt::format(
      "{} splits the SMs between applications, and sm_partitioner: {} does not follow it (token "
      "and resized-sets do)",
      submission->second.name, partitioner->second.name);
}

}  // namespace

std::string override_policy(const std::string& assignment, std::map<std::string, PolicyChoice>& policies,
                            std::uint64_t window_cycles) {
  const std::string option = "--policy " + assignment;
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    throw config::Error({option + ": expected decision=name or decision={name: NAME, PARAMETER: VALUE}"});
  std::string decision = assignment.substr(0, equals);
  if (const char* place = PolicyCatalogue::instance().chosen_elsewhere(decision))
    throw config::Error({fmt::format("{}: {}", option, place)});
  const AssignedPolicy assigned(decision, assignment.substr(equals + 1), option, window_cycles);
  try {
    PolicyCatalogue::instance().resolve(decision, assigned.choice());
  } catch (const PolicyError& error) {
    throw config::Error({fmt::format("{}: {}", option, error.what())});
  }
  assigned.finish();
  policies[decision] = assigned.choice();
  return decision;
}

std::optional<PolicyMisfit> misfit(const GpuSpec& spec, const std::map<std::string, PolicyChoice>& policies,
                                   std::size_t applications) {
  if (const auto split = policies.find(Instances::kDecision); split != policies.end()) {
    const std::string why =
        PolicyCatalogue::instance().misfit(split->first, split->second, describe(spec, applications));
    if (!why.empty()) return PolicyMisfit{split->first, why};
    const std::vector<Instance> instances = instances_of(spec, policies, applications);
    if (!instances.empty()) return misfit_of_instances(spec, policies, instances);
  }
  if (const std::string why = misfit_of_split(policies); !why.empty())
    return PolicyMisfit{Submission::kDecision, why};
  const GpuDescription gpu = describe(spec, applications);
  for (const auto& [decision, choice] : policies) {
    if (const std::string why = misfit_of_rtl(spec, decision, choice.name); !why.empty())
      return PolicyMisfit{decision, why};
    const std::string why = PolicyCatalogue::instance().misfit(decision, choice, gpu);
    if (!why.empty()) return PolicyMisfit{decision, why};
  }
  return std::nullopt;
}

}  // namespace heddle
