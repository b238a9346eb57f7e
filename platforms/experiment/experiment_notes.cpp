#include "platforms/experiment/experiment_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/gpu/peak_power.h"
#include "platforms/load/idle_settings.h"
#include "platforms/load/platform_loader.h"

namespace heddle {

namespace {

void note_energies(Experiment& experiment) {
  const GpuSpec& platform = experiment.platform;
  if (!platform.energy || !platform.memory) return;
  const std::string foreign = foreign_energies(*platform.energy, platform);
  if (!foreign.empty()) experiment.notes.push_back(foreign);
}

void note_caution(Experiment& experiment) {
  const GpuSpec& platform = experiment.platform;
  if (platform.sm.executes() && !platform.caution.empty())
    experiment.notes.push_back(fmt::format("platform '{}': {}", platform.name, platform.caution));
}

// What happened to kernels as they were loaded is told once, however often an application runs.
void note_kernels(Experiment& experiment) {
  for (const ExperimentApplication& of : experiment.applications)
    for (const std::string& note : of.application.notes)
      if (std::find(experiment.kernel_notes.begin(), experiment.kernel_notes.end(), note) ==
          experiment.kernel_notes.end())
        experiment.kernel_notes.push_back(note);
  experiment.notes.insert(experiment.notes.end(), experiment.kernel_notes.begin(),
                          experiment.kernel_notes.end());
}

void note_start(Experiment& experiment) {
  const auto launches = [](const ExperimentApplication& use) { return !use.requests; };
  const auto starting =
      std::count_if(experiment.applications.begin(), experiment.applications.end(), launches);
  if (experiment.start_together && starting < 2)
    experiment.notes.push_back(fmt::format(
        "start: together changes nothing: {} of the applications launches from the start, and the others "
        "are servers",
        starting == 1 ? "only one" : "none"));
}

// A policy of the experiment's `policies` that each entry of `compare` replaces is of no run.
void note_replaced(Experiment& experiment, const config::Section& root, const Overrides& overrides) {
  if (!root.has("policies")) return;
  const std::vector<config::Value> compared =
      root.has("compare") ? root.list("compare") : std::vector<config::Value>{};
  for (const std::string& decision : root.section("policies").keys()) {
    const bool is_replaced = std::all_of(compared.begin(), compared.end(), [&](const config::Value& value) {
      return value.is_section() && value.section().has(decision);
    });
    if (decision != kLabelOfPolicies && is_replaced && !compared.empty())
      experiment.notes.push_back(
          fmt::format("policies.{} changes nothing: each entry of compare has its own", decision));
  }
  for (const std::string& assignment : overrides.policies) {
    const std::string decision = decision_of(assignment);
    if (root.section("policies").has(decision))
      experiment.notes.push_back(fmt::format(
          "policies.{} changes nothing: --policy {} replaces it in every run", decision, assignment));
  }
}

void note_idle_settings(Experiment& experiment, const Overrides& overrides) {
  for (const std::string& set : overrides.platform_sets())
    if (const std::string why = why_idle(experiment.platform, set); !why.empty())
      experiment.notes.push_back(fmt::format("--set {} {}", set, why));
}

void note_seed(Experiment& experiment, const Overrides& overrides) {
  if (!overrides.seed || draws_times(experiment)) return;
  experiment.notes.push_back(fmt::format("--seed {} changes nothing: {}", *overrides.seed, kWhatSeedsDraw));
}

}  // namespace

void add_notes(Experiment& experiment, const config::Section& root, const Overrides& overrides) {
  note_seed(experiment, overrides);
  note_caution(experiment);
  note_kernels(experiment);
  note_energies(experiment);
  note_start(experiment);
  note_replaced(experiment, root, overrides);
  note_idle_settings(experiment, overrides);
}

}  // namespace heddle
