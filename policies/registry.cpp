#include "policies/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "models/core/config.h"

namespace heddle {

namespace {

std::string unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  const std::string nearest = config::nearest_name(name, known);
  return fmt::format("unknown {} '{}'{}; known: {}", what, name,
                     nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
                     known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

}  // namespace

double PolicyParameters::operator[](const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw PolicyError(fmt::format("parameter '{}' is read but not declared", name));
  return found->second;
}

PolicyCatalogue& PolicyCatalogue::instance() {
  static PolicyCatalogue catalogue;
  return catalogue;
}

void PolicyCatalogue::add(PolicyInfo info) {
  auto& names = known_[info.decision];
  if (names.count(info.name) != 0)
    throw std::logic_error(fmt::format("{} policy '{}' is registered twice", info.decision, info.name));
  names.emplace(info.name, info);
}

std::vector<std::string> PolicyCatalogue::decisions() const {
  std::vector<std::string> result;
  for (const auto& [decision, policies] : known_) result.push_back(decision);
  return result;
}

std::vector<std::string> PolicyCatalogue::names(const std::string& decision) const {
  const auto found = known_.find(decision);
  if (found == known_.end()) throw PolicyError(unknown("decision", decision, decisions()));
  std::vector<std::string> result;
  for (const auto& [name, info] : found->second) result.push_back(name);
  return result;
}

const PolicyInfo& PolicyCatalogue::info(const std::string& decision, const std::string& name) const {
  const std::vector<std::string> known = names(decision);
  const auto& policies = known_.at(decision);
  const auto found = policies.find(name);
  if (found == policies.end()) throw PolicyError(unknown(decision + " policy", name, known));
  return found->second;
}

PolicyParameters PolicyCatalogue::resolve(const std::string& decision, const PolicyChoice& choice) const {
  const PolicyInfo& policy = info(decision, choice.name);
  std::map<std::string, double> values;
  std::vector<std::string> known;
  for (const PolicyParameter& parameter : policy.parameters) {
    values[parameter.name] = parameter.fallback;
    known.push_back(parameter.name);
  }
  for (const auto& [name, value] : choice.parameters) {
    if (values.count(name) == 0) throw PolicyError(unknown(choice.name + " parameter", name, known));
    values[name] = value;
  }
  for (const PolicyParameter& parameter : policy.parameters) {
    const double value = values[parameter.name];
    if (!(value >= parameter.least && value <= parameter.most))
      throw PolicyError(fmt::format("{} parameter '{}' is {}; it must lie in {} .. {} {}", choice.name,
                                    parameter.name, value, parameter.least, parameter.most, parameter.unit));
    if (parameter.whole && value != std::floor(value))
      throw PolicyError(fmt::format("{} parameter '{}' is {}; it must be a whole number", choice.name,
                                    parameter.name, value));
  }
  return PolicyParameters(std::move(values));
}

}  // namespace heddle
