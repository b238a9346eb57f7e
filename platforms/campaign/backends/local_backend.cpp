#include "platforms/campaign/backends/local_backend.h"

#include <algorithm>
#include <thread>

#include "platforms/campaign/backends/campaign_files.h"

namespace heddle {

std::string directory_of(const Campaign& campaign, const std::string& directory) {
  return directory.empty() ? "results/campaigns/" + campaign.name : directory;
}

std::size_t jobs_of(std::size_t jobs) {
  return jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
}

CampaignOutcome run_campaign(const Campaign& campaign, const BackendOptions& options, RunProgress& progress) {
  CampaignOutcome outcome;
  outcome.directory = directory_of(campaign, options.directory);
  const RunPlan plan = plan_runs(campaign, jobs_of(options.jobs));
  const CampaignLock lock(outcome.directory, CampaignLock::Mode::kAlone);
  const RunStore store(outcome.directory);
  store.sweep();
  write_campaign(campaign, plan, outcome.directory);
  outcome.work = work_through(campaign, plan, due_runs(plan, store, options.resume), store,
                              {jobs_of(options.jobs), options.silence, options.argv}, progress);
  outcome.runs = plan.runs.size();
  for (const PlannedRun& run : plan.runs) outcome.ok += store.find(run.id).state == RunState::kOk ? 1 : 0;
  return outcome;
}

}  // namespace heddle
