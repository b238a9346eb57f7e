#include "platforms/campaign/backends/local_backend.h"

#include "platforms/campaign/backends/campaign_files.h"
#include "platforms/campaign/backends/series_check.h"

namespace heddle {

CampaignOutcome run_campaign(const Campaign& campaign, const BackendOptions& options, RunProgress& progress) {
  CampaignOutcome outcome;
  outcome.directory = directory_of(campaign, options.directory);
  const RunPlan plan = plan_runs(campaign, jobs_of(options.jobs));
  check_series(campaign);
  if (const std::string note = note_of_seeds(campaign, plan); !note.empty()) progress.note(note);
  const CampaignLock lock(outcome.directory, CampaignLock::Mode::kAlone);
  const RunStore store(outcome.directory);
  store.sweep();
  write_campaign(campaign, plan, outcome.directory);
  outcome.work =
      work_through(campaign, plan, due_runs(plan, store, options.resume), store,
                   {jobs_of(options.jobs), options.threads, options.silence, options.argv}, progress);
  outcome.runs = plan.runs.size();
  for (const PlannedRun& run : plan.runs) outcome.ok += store.find(run.id).state == RunState::kOk ? 1 : 0;
  return outcome;
}

}  // namespace heddle
