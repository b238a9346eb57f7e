#include "platforms/campaign/backends/time_estimate.h"

#include <fstream>
#include <iterator>

#include "models/core/config/input_file.h"
#include "platforms/campaign/store/run_plan.h"
#include "platforms/run/provenance_codec.h"

namespace heddle {

namespace {

// Returns the wall time of a run, or nothing if its provenance lacks it.
std::optional<double> seconds_of(const std::string& run) {
  config::check_file(run + "/provenance.json");
  std::ifstream in(run + "/provenance.json");
  return wall_seconds_of({std::istreambuf_iterator<char>(in), {}});
}

}  // namespace

std::optional<TimeEstimate> estimate(const Campaign& campaign, const std::string& directory,
                                     std::size_t jobs) {
  if (campaign.points.size() > kMostEstimatedPoints || loads_of(campaign) > kMostEstimatedLoads)
    return std::nullopt;
  const RunPlan plan = plan_identities(campaign, jobs);
  const RunStore store(directory);
  const std::map<std::string, RunRecord> records = store.find_all();
  TimeEstimate result;
  result.note = note_of_seeds(campaign, plan);
  std::vector<bool> is_left;
  double sum = 0;
  std::size_t timed = 0;
  for (const PlannedRun& run : plan.runs) {
    const auto found = records.find(run.id);
    const RunRecord record = found == records.end() ? RunRecord{} : found->second;
    ++result.states[record.state];
    is_left.push_back(is_due(record, false));
    if (is_left.back()) ++result.left;
    if (record.state != RunState::kOk) continue;
    if (const std::optional<double> seconds = seconds_of(store.path_of(run.id))) {
      sum += *seconds;
      ++timed;
    }
  }
  if (timed != 0) {
    result.seconds_of_run = sum / static_cast<double>(timed);
    result.seconds = *result.seconds_of_run * static_cast<double>(result.left) / static_cast<double>(jobs);
  }
  for (const PointRuns& point : plan.points) {
    result.left_of_points.push_back(0);
    for (const std::size_t run : point.variants)
      if (is_left[run]) ++result.left_of_points.back();
  }
  return result;
}

}  // namespace heddle
