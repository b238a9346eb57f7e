#include "platforms/campaign/backends/slurm_submit.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/process.hpp>
#include <filesystem>
#include <set>
#include <sstream>

#include "models/core/config/config.h"
#include "platforms/campaign/backends/campaign_files.h"
#include "platforms/campaign/backends/run_driver.h"
#include "platforms/campaign/backends/series_check.h"
#include "platforms/campaign/backends/slurm_submission.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;
namespace bp = boost::process;

// Runs one of Slurm's commands and returns what it prints. Throws std::runtime_error with the last line if
// the command fails.
std::string slurm(const std::string& command, const std::vector<std::string>& arguments) {
  const auto path = bp::search_path(command);
  if (path.empty()) throw config::Error({fmt::format("submit wants Slurm: there is no {} here", command)});
  bp::ipstream out;
  bp::child child(path, bp::args(arguments), bp::std_in<bp::null, (bp::std_out & bp::std_err)> out);
  std::ostringstream printed;
  printed << out.rdbuf();
  child.wait();
  std::string text = printed.str();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (child.exit_code() != 0)
    throw std::runtime_error(text.empty() ? command + ": failed" : text.substr(text.rfind('\n') + 1));
  return text;
}

// Returns the site's limit on the elements of an array.
std::uint64_t most_elements() {
  std::istringstream config(slurm("scontrol", {"show", "config"}));
  for (std::string line; std::getline(config, line);)
    if (line.rfind("MaxArraySize", 0) == 0) return std::stoull(line.substr(line.find('=') + 1));
  throw std::runtime_error("scontrol: its output has no MaxArraySize");
}

// The identities of the runs that are pending or running in Slurm.
std::set<std::string> queued_runs(const std::string& campaign) {
  std::set<std::string> ids;
  const std::string folder = fs::absolute(campaign).lexically_normal() / "submissions" / "";
  std::istringstream queue(slurm("squeue", {"--me", "-h", "-r", "-t", "PD,CF,R,S", "-o", "%K %k"}));
  for (std::string line; std::getline(queue, line);) {
    std::istringstream words(line);
    std::uint64_t element = 0;
    std::uint64_t first = 0;
    std::string submission;
    if (!(words >> element >> first >> std::ws) || !std::getline(words, submission)) continue;
    if (submission.rfind(folder, 0) != 0) continue;
    for (const ChunkRun& run : read_chunk(submission, first + element)) ids.insert(run.id);
  }
  return ids;
}

std::vector<Chunk> chunks_of(const Chunk& runs, std::size_t pack) {
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < runs.size(); i += pack)
    chunks.emplace_back(runs.begin() + static_cast<std::ptrdiff_t>(i),
                        runs.begin() + static_cast<std::ptrdiff_t>(std::min(i + pack, runs.size())));
  return chunks;
}

// Submits the chunks in arrays of at most `most` elements and returns their jobs. A throttled array waits for
// the one before it, so that the throttle holds for all arrays together.
std::vector<std::string> submit(const Campaign& campaign, const std::string& directory,
                                const std::string& submission, std::uint64_t chunks, std::uint64_t most) {
  std::vector<std::string> jobs;
  for (std::uint64_t first = 0; first < chunks; first += most) {
    std::vector<std::string> arguments{
        "--parsable",
        "--job-name=heddle-" + campaign.name,
        fmt::format("--comment={} {}", first, submission),
        "--chdir=" + submission,
        "--output=%A_%a.log",
        "--array=" + array_text(std::min(most, chunks - first), campaign.slurm)};
    if (campaign.slurm.throttle && !jobs.empty()) arguments.push_back("--dependency=afterany:" + jobs.back());
    arguments.insert(arguments.end(), {fs::absolute(directory + "/task").lexically_normal().string(),
                                       submission, fmt::format("{}", first)});
    const std::string job = slurm("sbatch", arguments);
    jobs.push_back(job.substr(0, job.find(';')));
  }
  return jobs;
}

}  // namespace

SubmitOutcome submit_campaign(const Campaign& campaign, const BackendOptions& options) {
  if (!campaign.trusted && !campaign.slurm.commands.empty()) throw config::Error(campaign.slurm.commands);
  SubmitOutcome outcome;
  outcome.directory = directory_of(campaign, options.directory);
  const std::uint64_t most = most_elements();
  const RunPlan plan = plan_runs(campaign, jobs_of(options.jobs));
  check_series(campaign);
  outcome.note = note_of_seeds(campaign, plan);
  const CampaignLock lock(outcome.directory, CampaignLock::Mode::kShared);
  const CampaignLock submissions(outcome.directory + "/submissions", CampaignLock::Mode::kAlone);
  const RunStore store(outcome.directory);
  const std::set<std::string> queued = queued_runs(outcome.directory);
  Chunk due = due_runs(plan, store, options.resume);
  const std::size_t left = due.size();
  due.erase(std::remove_if(due.begin(), due.end(),
                           [&](const PlannedRun* run) { return queued.count(run->id) != 0; }),
            due.end());
  outcome.runs = plan.runs.size();
  outcome.done = plan.runs.size() - left;
  outcome.queued = left - due.size();
  outcome.submitted = due.size();
  write_campaign(campaign, plan, outcome.directory);
  if (due.empty()) return outcome;
  const std::vector<Chunk> chunks = chunks_of(due, campaign.slurm.pack);
  const std::string submission = make_submission(outcome.directory, campaign, chunks);
  outcome.tasks = chunks.size();
  outcome.jobs = submit(campaign, outcome.directory, submission, chunks.size(), most);
  return outcome;
}

}  // namespace heddle
