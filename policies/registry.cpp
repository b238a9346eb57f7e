#include "policies/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "policies/plugin_registration.h"

namespace heddle {

namespace {

std::string unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  return fmt::format("unknown {} '{}'{}", what, name, config::suggestion_and_known(name, known));
}

void check_number(const PolicyParameter& parameter, const std::string& who, double value) {
  if (!(value >= parameter.least && value <= parameter.most))
    throw PolicyError(fmt::format("{} is {}; it must lie in {} .. {} {}", who, value, parameter.least,
                                  parameter.most, parameter.unit));
  if (parameter.whole && value != std::floor(value))
    throw PolicyError(fmt::format("{} is {}; it must be a whole number", who, value));
}

// Returns what a value of the parameter is.
std::string kind_of(const PolicyParameter& parameter) {
  if (parameter.fallback.is_lists()) return "a list, a list of lists, or all";
  if (parameter.fallback.is_name()) return fmt::format("one of {}", fmt::join(parameter.names, ", "));
  if (parameter.fallback.kind() == PolicyValue::Kind::kTexts) return "a list of texts";
  return "a number";
}

void check(const PolicyParameter& parameter, const std::string& policy, const PolicyValue& value) {
  const std::string who = fmt::format("{} parameter '{}'", policy, parameter.name);
  const auto& names = parameter.names;
  if (value.kind() != parameter.fallback.kind() ||
      (value.is_name() && std::find(names.begin(), names.end(), value.name()) == names.end()))
    throw PolicyError(fmt::format("{} is {}; it must be {}", who, value.text(), kind_of(parameter)));
  if (value.is_name() || value.kind() == PolicyValue::Kind::kTexts) return;
  if (!value.is_lists()) return check_number(parameter, who, value.number());
  for (const std::vector<std::int64_t>& list : value.lists())
    for (const std::int64_t entry : list) check_number(parameter, who, static_cast<double>(entry));
}

// A name whose unit is "policy" is that of any other policy of the same decision. The values of such
// parameters are written anew with each policy that registers itself.
void list_policies(std::map<std::string, PolicyInfo>& policies) {
  for (auto& [name, info] : policies)
    for (PolicyParameter& parameter : info.parameters) {
      if (!parameter.fallback.is_name() || parameter.unit != "policy") continue;
      parameter.names.clear();
      for (const auto& [other, of_other] : policies)
        if (other != name) parameter.names.push_back(other);
    }
}

}  // namespace

PolicyCatalogue& PolicyCatalogue::instance() {
  static PolicyCatalogue catalogue;
  return catalogue;
}

void PolicyCatalogue::add(PolicyInfo info, DecisionInfo decision) {
  PluginRegistration* const plugin = PluginRegistration::current();
  if (plugin != nullptr && known_.count(info.decision) == 0)
    return plugin->problem(unknown("decision", info.decision, decisions()));
  Decision& known = known_[info.decision];
  if (known.policies.count(info.name) != 0) {
    const std::string message = fmt::format("{} policy '{}' is registered twice", info.decision, info.name);
    if (plugin == nullptr) throw std::logic_error(message);
    return plugin->problem(message);
  }
  if (plugin != nullptr) plugin->registered(info);
  known.info = decision;
  known.rtl = {
      info.decision, "rtl.NAME", "the block NAME of the machine's section rtl", "the block's file", {}};
  known.policies.emplace(info.name, info);
  list_policies(known.policies);
}

std::vector<std::string> PolicyCatalogue::decisions() const {
  std::vector<std::string> result;
  for (const auto& [name, decision] : known_) result.push_back(name);
  return result;
}

std::vector<std::string> PolicyCatalogue::names(const std::string& decision) const {
  const auto found = known_.find(decision);
  if (found == known_.end()) throw PolicyError(unknown("decision", decision, decisions()));
  std::vector<std::string> result;
  for (const auto& [name, info] : found->second.policies) result.push_back(name);
  return result;
}

const PolicyInfo& PolicyCatalogue::info(const std::string& decision, const std::string& name) const {
  const std::vector<std::string> known = names(decision);
  const Decision& asked = known_.at(decision);
  const auto& policies = asked.policies;
  if (asked.info.takes_rtl && !rtl_block_of(name).empty()) return asked.rtl;
  const auto found = policies.find(name);
  if (found == policies.end()) throw PolicyError(unknown(decision + " policy", name, known));
  return found->second;
}

const PolicyParameter* PolicyCatalogue::find(const std::string& decision, const std::string& name,
                                             const std::string& parameter) const {
  const auto known = known_.find(decision);
  if (known == known_.end()) return nullptr;
  const auto policy = known->second.policies.find(name);
  if (policy == known->second.policies.end()) return nullptr;
  for (const PolicyParameter& declared : policy->second.parameters)
    if (declared.name == parameter) return &declared;
  return nullptr;
}

bool PolicyCatalogue::is_asked(const std::string& decision, const GpuDescription& gpu) const {
  const DecisionInfo& info = known_.at(decision).info;
  return info.is_asked == nullptr || info.is_asked(gpu);
}

const char* PolicyCatalogue::chosen_elsewhere(const std::string& decision) const {
  const auto known = known_.find(decision);
  return known == known_.end() ? nullptr : known->second.info.elsewhere;
}

const char* PolicyCatalogue::fallback(const std::string& decision) const {
  const auto known = known_.find(decision);
  return known == known_.end() ? nullptr : known->second.info.fallback;
}

std::string PolicyCatalogue::misfit(const std::string& decision, const PolicyChoice& choice,
                                    const GpuDescription& gpu) const {
  const PolicyParameters parameters = resolve(decision, choice);
  const char* needs = known_.at(decision).info.needs;
  if (needs != nullptr && !is_asked(decision, gpu))
    return fmt::format("{} {} needs {}", decision, choice.name, needs);
  const auto misfit_of = info(decision, choice.name).misfit;
  return misfit_of == nullptr ? "" : misfit_of(gpu, parameters);
}

PolicyParameters PolicyCatalogue::resolve(const std::string& decision, const PolicyChoice& choice) const {
  const PolicyInfo& policy = info(decision, choice.name);
  std::map<std::string, PolicyValue> values;
  std::vector<std::string> known;
  for (const PolicyParameter& parameter : policy.parameters) {
    values[parameter.name] = parameter.fallback;
    known.push_back(parameter.name);
  }
  for (const auto& [name, value] : choice.parameters) {
    if (values.count(name) == 0) throw PolicyError(unknown(choice.name + " parameter", name, known));
    values[name] = value;
  }
  for (const PolicyParameter& parameter : policy.parameters)
    check(parameter, choice.name, values[parameter.name]);
  return PolicyParameters(std::move(values));
}

}  // namespace heddle
