#include "platforms/campaign/backends/slurm_task.h"

#include <filesystem>
#include <map>

#include "models/core/config/config.h"
#include "platforms/campaign/backends/slurm_submission.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

std::vector<std::size_t> points_of(const std::vector<ChunkRun>& chunk, std::size_t most) {
  std::vector<std::size_t> points;
  for (const ChunkRun& run : chunk)
    if (run.point < most && (points.empty() || points.back() != run.point)) points.push_back(run.point);
  return points;
}

// Finds the runs of a chunk in the plan. An identity that the plan does not have belongs to an input or a
// program that has changed since the submission.
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

TaskOutcome run_task(const std::string& submission, std::uint64_t chunk, const BackendOptions& options,
                     RunProgress& progress) {
  const std::vector<ChunkRun> wanted = read_chunk(submission, chunk);
  Campaign campaign = load_kept_campaign(submission);
  campaign.trusted = options.trust;
  const std::string directory = fs::absolute(submission).lexically_normal().parent_path().parent_path();
  const std::size_t jobs = options.jobs != 0 ? options.jobs : campaign.slurm.cpus;
  const RunPlan plan = plan_runs(campaign, points_of(wanted, campaign.points.size()), jobs);
  const Chunk runs = planned(wanted, plan);
  const CampaignLock lock(directory, CampaignLock::Mode::kShared);
  const RunStore store(directory);
  TaskOutcome outcome;
  outcome.work = work_through(campaign, plan, runs, store,
                              {jobs, options.threads, options.silence, options.argv}, progress);
  outcome.runs = runs.size();
  for (const PlannedRun* run : runs) outcome.ok += store.find(run->id).state == RunState::kOk ? 1 : 0;
  return outcome;
}

}  // namespace heddle
