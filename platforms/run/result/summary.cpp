#include "platforms/run/result/summary.h"

namespace heddle {

Summary summarise(const Experiment& experiment, const std::vector<std::optional<RunResult>>& runs,
                  const std::vector<std::uint64_t>& alone_ps) {
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
  for (std::size_t i = 0; i < alone_ps.size(); ++i) summary.alone.push_back({name_at(i), alone_ps[i]});
  for (std::size_t variant = 0; variant < runs.size(); ++variant) {
    const std::string label = variant_label(experiment, variant);
    if (runs[variant])
      summary.runs.push_back(
          {label, experiment.variants[variant], measure(*runs[variant], alone_ps, experiment.prioritised)});
    else
      summary.missing.push_back(label);
  }
  return summary;
}

}  // namespace heddle
