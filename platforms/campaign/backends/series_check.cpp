#include "platforms/campaign/backends/series_check.h"

#include <fmt/format.h>

#include <set>

#include "models/core/config/config.h"
#include "models/core/config/config_units.h"
#include "platforms/run/job.h"

namespace heddle {

namespace {

// Removes from the job's patterns those that match a statistic of a variant of the point.
void leave_unmatched(const Campaign& campaign, const CampaignPoint& point, Job& job) {
  const Experiment experiment = load_experiment(experiment_of(campaign, point), overrides_of(point));
  for (std::size_t i = 0; i < experiment.variants.size() && !job.series.patterns.empty(); ++i) {
    job.machine = machine_for(experiment, experiment.variants[i]);
    job.series.patterns = unmatched_patterns(job);
  }
}

}  // namespace

void check_series(const Campaign& campaign) {
  if (!campaign.series.is_wanted() || campaign.has_default_series) return;
  Job job;
  job.series = campaign.series;
  std::set<Assignment> seen;
  bool is_first = true;
  for (const CampaignPoint& point : campaign.points) {
    bool has_new = is_first;
    is_first = false;
    for (const Assignment& value : point.values) has_new = seen.insert(value).second || has_new;
    if (has_new) leave_unmatched(campaign, point, job);
    if (job.series.patterns.empty()) return;
  }
  throw config::Error(
      {fmt::format("{}: series: no statistic of any machine of this campaign matches {}; heddle list "
                   "counters has their paths",
                   campaign.file, config::detail::shown(job.series.patterns.front()))});
}

}  // namespace heddle
