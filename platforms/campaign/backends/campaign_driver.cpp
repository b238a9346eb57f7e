#include "platforms/campaign/backends/campaign_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "platforms/campaign/backends/local_work.h"
#include "platforms/run/exit_code.h"

namespace heddle {

namespace {

// How the whole campaign stands; the exit code.
int close(const Campaign& campaign, const RunPlan& plan, const RunStore& store) {
  std::size_t well = 0;
  for (const PlannedRun& run : plan.runs) well += store.find(run.id).state == RunState::kOk ? 1 : 0;
  std::cout << fmt::format("{}: {} points, {} runs, {} ok, {} not; results: {}", campaign.name,
                           campaign.points.size(), plan.runs.size(), well, plan.runs.size() - well,
                           store.directory())
            << std::endl;
  return well == plan.runs.size() ? 0 : kExitFailed;
}

}  // namespace

std::string directory_of(const Campaign& campaign, const std::string& directory) {
  return directory.empty() ? "results/campaigns/" + campaign.name : directory;
}

std::size_t jobs_of(std::size_t jobs) {
  return jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
}

int batch_run(const Campaign& campaign, const BatchOptions& options) {
  const std::string directory = directory_of(campaign, options.directory);
  const RunPlan plan = plan_runs(campaign, jobs_of(options.jobs));
  const CampaignLock lock(directory, CampaignLock::Mode::kAlone);
  const RunStore store(directory);
  store.sweep();
  write_campaign(campaign, plan, directory);
  const int code = work(campaign, plan, due_runs(plan, store, options.resume), store, options);
  return code == 0 ? close(campaign, plan, store) : code;
}

}  // namespace heddle
