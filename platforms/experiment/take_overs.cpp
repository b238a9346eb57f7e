#include "platforms/experiment/take_overs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/core/config/config_names.h"
#include "policies/instances/i_instances.h"

namespace heddle {

namespace {

using Phase = BatchSpec::Phase;

bool is_of(const ExperimentApplication& use, Phase phase) {
  return use.requests && use.requests->batch && use.requests->batch->phase == phase;
}

// Returns the number of the application that hands over.
std::uint32_t read_source(const config::Section& section, const Experiment& experiment) {
  const config::Value value = section.value("from");
  if (!value.is_scalar()) return 0;
  std::vector<std::string> names;
  for (const ExperimentApplication& use : experiment.applications)
    names.push_back(use.application.program.name);
  const std::string name = value.text();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    value.problem(fmt::format("the experiment has no application '{}'{}", name,
                              config::suggestion_and_known(name, names)));
    return 0;
  }
  const auto number = static_cast<std::size_t>(found - names.begin());
  if (std::count(names.begin(), names.end(), name) > 1)
    value.problem(fmt::format("two applications are named '{}'; give one its own name", name));
  if (!is_of(experiment.applications[number], Phase::kPrefill))
    value.problem(
        fmt::format("'{}' hands nothing over; a server with batching: {{phase: prefill}} does", name));
  for (const ExperimentApplication& other : experiment.applications)
    if (other.takes_over && other.takes_over->from == number)
      value.problem(
          fmt::format("'{}' hands its requests over to '{}' already", name, other.application.program.name));
  return static_cast<std::uint32_t>(number);
}

}  // namespace

void read_take_overs(const config::Section& root, Experiment& experiment) {
  if (!root.has("applications")) return;
  const std::vector<config::Value> entries = root.list("applications");
  for (std::size_t i = 0; i < std::min(entries.size(), experiment.applications.size()); ++i) {
    if (!entries[i].is_section() || !entries[i].section().has("takes_over")) continue;
    const config::Section section = entries[i].section().section("takes_over");
    ExperimentApplication& use = experiment.applications[i];
    if (!is_of(use, Phase::kDecode))
      section.problem(
          fmt::format("'{}' goes on with no request; a server with batching: {{phase: decode}} does",
                      use.application.program.name));
    if (use.requests && use.requests->arrivals.table)
      section.problem(fmt::format("'{}' has its requests from a file", use.application.program.name));
    const std::uint32_t from = read_source(section, experiment);
    use.takes_over = HandOverSpec{from, section.time_ps("latency", 0), section.time_ps("token", 0)};
  }
}

void check_take_overs(const config::Section& root, const Experiment& experiment) {
  const bool has_any =
      std::any_of(experiment.applications.begin(), experiment.applications.end(),
                  [](const ExperimentApplication& use) { return use.takes_over.has_value(); });
  if (!has_any) return;
  for (const auto& variant : experiment.variants)
    if (const auto choice = variant.find(Instances::kDecision);
        choice != variant.end() && choice->second.name != Instances::kFallback)
      return root.value("applications")
          .problem("takes_over: requests do not go from one instance of a split GPU to another");
}

}  // namespace heddle
