#include "platforms/run/result/summary.h"

namespace heddle {

Summary summarise(const Experiment& experiment, const std::vector<std::optional<RunResult>>& runs,
                  const std::vector<AloneRun>& alone) {
  const auto name_at = [&](std::size_t application) {
    return experiment.applications[application].application.program.name;
  };
  Summary summary;
  summary.experiment = experiment.name;
  summary.question = experiment.question;
  summary.platform = experiment.platform.name;
  summary.mix = experiment.mix;
  summary.seed = experiment.seed;
  if (experiment.prioritised) summary.prioritised = name_at(*experiment.prioritised);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const auto known = [](double ps) { return ps > 0 ? std::optional(ps) : std::nullopt; };
    summary.alone.push_back(
        {name_at(i), alone[i].turnaround_ps, known(alone[i].service_ps), known(alone[i].response_ps)});
  }
  for (std::size_t variant = 0; variant < runs.size(); ++variant) {
    const std::string label = variant_label(experiment, variant);
    if (runs[variant])
      summary.runs.push_back(
          {label, experiment.variants[variant], measure(*runs[variant], alone, experiment.prioritised)});
    else
      summary.missing.push_back(label);
  }
  return summary;
}

}  // namespace heddle
