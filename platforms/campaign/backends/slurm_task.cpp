// One task of a submission, wherever its task script is run.

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <map>

#include "models/core/config/config.h"
#include "platforms/campaign/backends/slurm_submission.h"
#include "platforms/campaign/backends/local_work.h"
#include "platforms/run/exit_code.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

std::vector<std::size_t> points_of(const std::vector<ChunkRun>& chunk, std::size_t most) {
  std::vector<std::size_t> points;
  for (const ChunkRun& run : chunk)
    if (run.point < most && (points.empty() || points.back() != run.point)) points.push_back(run.point);
  return points;
}

// A run is known by all it depends on: what has changed since would be another run under the old name.
Chunk planned(const std::vector<ChunkRun>& chunk, const RunPlan& plan) {
  std::map<std::string, const PlannedRun*> known;
  for (const PlannedRun& run : plan.runs) known.emplace(run.id, &run);
  Chunk runs;
  for (const ChunkRun& run : chunk) {
    const auto found = known.find(run.id);
    if (found == known.end())
      throw config::Error(
          {"the program or an input has changed since this was submitted; heddle batch resume "
           "submits it as it is now"});
    runs.push_back(found->second);
  }
  return runs;
}

}  // namespace

int batch_task(const std::string& submission, std::uint64_t chunk, const BatchOptions& options) {
  const std::vector<ChunkRun> wanted = read_chunk(submission, chunk);
  const Campaign campaign = load_kept_campaign(submission);
  const std::string directory = fs::absolute(submission).lexically_normal().parent_path().parent_path();
  BatchOptions task = options;
  if (task.jobs == 0) task.jobs = campaign.slurm.cpus;
  const RunPlan plan = plan_runs(campaign, points_of(wanted, campaign.points.size()), task.jobs);
  const Chunk runs = planned(wanted, plan);
  const CampaignLock lock(directory, CampaignLock::Mode::kShared);
  const RunStore store(directory);
  const int code = work(campaign, plan, runs, store, task);
  std::size_t well = 0;
  for (const PlannedRun* run : runs) well += store.find(run->id).state == RunState::kOk ? 1 : 0;
  std::cout << fmt::format("chunk {}: {} runs, {} ok, {} not", chunk, runs.size(), well, runs.size() - well)
            << std::endl;
  return code != 0 ? code : well == runs.size() ? 0 : kExitFailed;
}

}  // namespace heddle
