#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "models/core/base/log.h"
#include "platforms/cli/commands.h"
#include "platforms/run/alone_cache.h"
#include "platforms/run/job.h"
#include "platforms/run/output.h"
#include "platforms/run/provenance_codec.h"
#include "platforms/run/result/summary_codec.h"
#include "platforms/run/result/summary_tables.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

std::string results_path(const RunOptions& options, const Experiment& experiment) {
  if (!options.out.empty()) return options.out;
  std::string path = "results/" + experiment.name;
  for (int i = 2; fs::exists(path); ++i) path = fmt::format("results/{}-{}", experiment.name, i);
  return path;
}

// A folder name for a variant: its number and label, spelt with letters, digits and dashes.
std::string folder_of(std::size_t variant, const std::string& label) {
  std::string name = fmt::format("{}-", variant + 1);
  for (const char c : label) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (plain || name.back() != '-') name += plain ? c : '-';
  }
  name.resize(std::min<std::size_t>(name.size(), 100));  // a label with lists can be longer than a file name
  while (name.back() == '-') name.pop_back();
  return name;
}

// One line on a terminal, redrawn: what is being simulated, how far, how fast.
class ProgressLine {
 public:
  ProgressLine(const std::vector<Job>& jobs, bool shown) : jobs_(jobs), shown_(shown) {}
  ~ProgressLine() {
    if (drawn_) std::cerr << "\r\033[K" << std::flush;
  }
  void draw(const JobProgress& progress) {
    if (!shown_) return;
    drawn_ = true;
    std::cerr << fmt::format("\r\033[K{}: {:.0f} %, {:.1f} ms simulated, {:.0f} Mcycles/s",
                             jobs_[progress.job].label, 100 * progress.fraction, progress.simulated_ms,
                             progress.cycles_per_second / 1e6)
              << std::flush;
  }

 private:
  const std::vector<Job>& jobs_;
  bool shown_;
  bool drawn_ = false;
};

constexpr std::size_t kVariant = SIZE_MAX;

struct Plan {
  std::vector<Job> variants;
  std::vector<Job> alone;  // applications that are not cached
  std::vector<std::size_t>
      alone_jobs;                    // by application: its job among those; kVariant: the first variant is it
  std::vector<AloneRun> alone_runs;  // by application: from the cache, or nothing yet
  std::vector<std::string> alone_keys;
};

// Whether its first run is its one application alone, on the platform's own policies.
bool runs_alone(const Experiment& experiment) {
  const std::map<std::string, PolicyChoice>& policies = experiment.variants.front();
  const auto is_own = [&](const auto& own) {
    const PolicyChoice& used = policies.at(own.first);
    const PolicyInfo& info = PolicyCatalogue::instance().info(own.first, own.second.name);
    return used.name == own.second.name &&
           std::all_of(info.parameters.begin(), info.parameters.end(), [&](const PolicyParameter& parameter) {
             const auto given = own.second.parameters.find(parameter.name);
             return used.parameters.at(parameter.name) ==
                    (given == own.second.parameters.end() ? parameter.fallback : given->second);
           });
  };
  const std::map<std::string, PolicyChoice>& own = experiment.platform.policies;
  return experiment.applications.size() == 1 && !experiment.prioritised &&
         experiment.applications.front().start_ps == 0 && std::all_of(own.begin(), own.end(), is_own);
}

Plan make_plan(const RunOptions& options, const Experiment& experiment, const AloneCache& cache,
               const std::string& directory) {
  Plan plan;
  for (std::size_t variant = 0; variant < experiment.variants.size(); ++variant) {
    Job job;
    job.label = variant_label(experiment, variant);
    job.machine = machine_for(experiment, experiment.variants[variant]);
    job.directory = directory + "/" + folder_of(variant, job.label);
    job.timeline = options.timeline;
    job.build_reversed = options.build_reversed;
    plan.variants.push_back(job);
  }
  if (runs_alone(experiment)) {
    plan.alone_keys.emplace_back();
    plan.alone_runs.emplace_back();
    plan.alone_jobs.push_back(kVariant);
    return plan;
  }
  for (std::size_t i = 0; i < experiment.applications.size(); ++i) {
    plan.alone_keys.push_back(AloneCache::key(experiment, i));
    plan.alone_runs.push_back(cache.find(plan.alone_keys.back()).value_or(AloneRun{}));
    plan.alone_jobs.push_back(plan.alone.size());
    if (plan.alone_runs.back().turnaround_ps != 0) continue;
    Job job;
    job.label = experiment.applications[i].application.program.name + " alone";
    job.machine = machine_alone(experiment, i);
    plan.alone.push_back(job);
  }
  return plan;
}

struct RunFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs jobs, so many at a time. Throws RunFailure that names all that failed.
class JobRunner {
 public:
  JobRunner(const RunOptions& options, const Experiment& experiment)
      : parallel_(options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency())),
        shows_(!options.quiet && ::isatty(STDERR_FILENO) == 1),
        name_(experiment.name) {}

  std::vector<Simulation> run(const std::vector<Job>& jobs) const {
    std::vector<JobResult> done;
    {
      ProgressLine line(jobs, shows_);
      done = run_jobs(jobs, parallel_, [&](const JobProgress& progress) { line.draw(progress); });
    }
    std::vector<std::string> failures;
    std::vector<Simulation> results;
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (!done[i].failure.empty())
        failures.push_back(fmt::format("{}, {}: {}", name_, jobs[i].label, done[i].failure));
      results.push_back(std::move(done[i].done));
    }
    if (!failures.empty()) throw RunFailure(fmt::format("{}", fmt::join(failures, "\n")));
    return results;
  }

 private:
  const std::size_t parallel_;
  const bool shows_;
  const std::string name_;
};

AloneRun alone_run_of(const Simulation& simulation) {
  const ApplicationResult& application = simulation.result.applications.front();
  return {application.turnaround_ps, application.warp_instructions};
}

void take_alone(Plan& plan, const std::vector<Simulation>& done, const AloneCache& cache) {
  for (std::size_t i = 0; i < plan.alone_runs.size(); ++i) {
    if (plan.alone_runs[i].turnaround_ps != 0 || plan.alone_jobs[i] == kVariant) continue;
    plan.alone_runs[i] = alone_run_of(done[plan.alone_jobs[i]]);
    cache.store(plan.alone_keys[i], plan.alone_runs[i]);
  }
}

// The applications alone first where the variants need to know how much they do.
std::vector<Simulation> run_plan(Plan& plan, Experiment& experiment, const AloneCache& cache,
                                 const JobRunner& runner) {
  if (needs_targets(experiment)) {
    take_alone(plan, runner.run(plan.alone), cache);
    for (std::size_t i = 0; i < experiment.applications.size(); ++i)
      experiment.applications[i].target_instructions = plan.alone_runs[i].warp_instructions;
    for (std::size_t i = 0; i < plan.variants.size(); ++i)
      plan.variants[i].machine = machine_for(experiment, experiment.variants[i]);
    return runner.run(plan.variants);
  }
  std::vector<Job> jobs = plan.variants;
  jobs.insert(jobs.end(), plan.alone.begin(), plan.alone.end());
  std::vector<Simulation> done = runner.run(jobs);
  const std::vector<Simulation> alone(done.begin() + static_cast<std::ptrdiff_t>(plan.variants.size()),
                                      done.end());
  done.resize(plan.variants.size());
  take_alone(plan, alone, cache);
  return done;
}

void write_results(const RunOptions& options, const Experiment& experiment, const Summary& summary,
                   const std::vector<Simulation>& runs, const std::string& directory) {
  write_inputs(experiment, directory);
  write_file(directory + "/summary.json", summary_text(summary));
  Provenance origin = provenance(options.argv);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunCost& cost = runs[i].cost;
    origin.runs.push_back(
        {summary.runs[i].label, {cost.wall_seconds, cost.cycles_per_second(runs[i].result)}});
  }
  write_file(directory + "/provenance.json", provenance_text(origin));
}

}  // namespace

int run_command(const RunOptions& options) {
  Experiment experiment =
      load_experiment(options.experiment, {options.sets, options.policies, options.platform, options.seed});
  catch_interrupts();
  ResultsDirectory results(results_path(options, experiment));
  const AloneCache cache(options.cache);
  Plan plan = make_plan(options, experiment, cache, results.draft());
  std::vector<Simulation> runs;
  try {
    runs = run_plan(plan, experiment, cache, JobRunner(options, experiment));
  } catch (const RunFailure& failure) {
    std::cerr << "heddle: " << failure.what() << "\n";
    return kExitFailed;
  }
  std::vector<std::uint64_t> alone_ps;
  for (std::size_t i = 0; i < plan.alone_runs.size(); ++i)
    alone_ps.push_back(plan.alone_jobs[i] == kVariant ? alone_run_of(runs.front()).turnaround_ps
                                                      : plan.alone_runs[i].turnaround_ps);
  std::vector<RunResult> results_of_runs;
  for (const Simulation& run : runs) results_of_runs.push_back(run.result);
  const Summary summary = summarise(experiment, results_of_runs, alone_ps);
  write_results(options, experiment, summary, runs, results.draft());
  results.finish();
  if (options.json) {
    std::cout << summary_line(summary) << std::endl;
  } else {
    print_summary(summary, std::cout);
    std::cout << "\nresults: " << results.path() << std::endl;
  }
  return 0;
}

}  // namespace heddle
