#include "platforms/cli/verbs/experiment_jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>
#include <utility>

namespace heddle {

namespace {

using Simulations = std::vector<std::optional<Simulation>>;  // empty: interrupted

// Returns the folder of a variant: its number and label in letters, digits and dashes.
std::string folder_of(std::size_t variant, const std::string& label) {
  std::string name = fmt::format("{}-", variant + 1);
  for (const char c : label) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (plain || name.back() != '-') name += plain ? c : '-';
  }
  name.resize(
      std::min<std::size_t>(name.size(), 100));  // a label with lists can exceed the length of a file name
  while (name.back() == '-') name.pop_back();
  return name;
}

// Returns the machine of a variant. Of several variants each writes waveforms of its blocks in RTL under
// names of its own.
MachineSpec machine_of(const Experiment& experiment, std::size_t variant) {
  MachineSpec machine = machine_for(experiment, experiment.variants[variant]);
  if (experiment.variants.size() == 1) return machine;
  for (auto& [name, block] : machine.gpu.rtl) {
    if (!block.dump) continue;
    std::filesystem::path file = block.dump->file;
    file.replace_filename(fmt::format("{}-{}{}", file.stem().string(),
                                      folder_of(variant, variant_label(experiment, variant)),
                                      file.extension().string()));
    block.dump->file = file;
  }
  return machine;
}

// Shows the progress of several simulations together, and of one of them: on a terminal as one line that is
// drawn again and again, elsewhere as a line every minute.
class ProgressLine {
 public:
  enum class Output : std::uint8_t { kHidden, kTerminal, kLines };

  ProgressLine(const std::vector<Job>& jobs, Output output)
      : jobs_(jobs), output_(output), fractions_(jobs.size()) {}
  ~ProgressLine() {
    if (drawn_) std::cerr << "\r\033[K" << std::flush;
  }
  void draw(const JobProgress& progress) {
    fractions_[progress.job] = progress.fraction;
    if (output_ == Output::kHidden) return;
    const std::string text = text_of(progress);
    if (output_ == Output::kTerminal) {
      drawn_ = true;
      std::cerr << "\r\033[K" << text << std::flush;
    } else if (const auto now = std::chrono::steady_clock::now(); now - told_ >= std::chrono::minutes(1)) {
      told_ = now;
      std::cerr << text << std::endl;
    }
  }

 private:
  std::string text_of(const JobProgress& progress) const {
    std::string all;
    if (jobs_.size() > 1)
      all = fmt::format("{:.0f} % of {} runs; ",
                        100 * std::accumulate(fractions_.begin(), fractions_.end(), 0.0) /
                            static_cast<double>(fractions_.size()),
                        jobs_.size());
    return fmt::format("{}{}: {:.0f} %, {:.1f} ms simulated, {:.1f} Mcycles/s", all,
                       jobs_[progress.job].label, 100 * progress.fraction, progress.simulated_ms,
                       progress.cycles_per_second / 1e6);
  }

  const std::vector<Job>& jobs_;
  const Output output_;
  std::vector<double> fractions_;  // by job
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
  bool drawn_ = false;
};

// Whether the first variant is the only application alone, on the platform's own policies.
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

// Runs several jobs at a time.
class JobRunner {
 public:
  JobRunner(std::string name, std::size_t parallel, bool quiet)
      : name_(std::move(name)),
        parallel_(parallel),
        progress_(quiet                          ? ProgressLine::Output::kHidden
                  : ::isatty(STDERR_FILENO) == 1 ? ProgressLine::Output::kTerminal
                                                 : ProgressLine::Output::kLines) {}

  // Returns what has ended until an interruption. Throws RunFailure.
  Simulations run(const std::vector<Job>& jobs) const {
    std::vector<JobResult> done;
    {
      ProgressLine line(jobs, progress_);
      done = run_jobs_until_interrupted(jobs, parallel_,
                                        [&](const JobProgress& progress) { line.draw(progress); });
    }
    std::vector<std::string> failures;
    Simulations results(jobs.size());
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (!done[i].failure.empty())
        failures.push_back(fmt::format("{}, {}: {}", name_, jobs[i].label, without_name(done[i].failure)));
      else if (done[i].has_ended)
        results[i] = std::move(done[i].done);
    }
    if (!failures.empty()) throw RunFailure(fmt::format("{}", fmt::join(failures, "\n")));
    return results;
  }

 private:
  // Returns the failure without the name of its application if the experiment has this name, too.
  std::string without_name(const std::string& failure) const {
    const std::string start = name_ + ": ";
    return failure.rfind(start, 0) == 0 ? failure.substr(start.size()) : failure;
  }

  const std::string name_;
  const std::size_t parallel_;
  const ProgressLine::Output progress_;
};

// Keeps the runs alone that have ended. Throws Interrupted if one has not.
void take_alone(ExperimentJobs& jobs, const Simulations& done, const AloneCache& cache) {
  bool is_complete = true;
  for (std::size_t i = 0; i < jobs.alone_runs.size(); ++i) {
    if (jobs.alone_runs[i].turnaround_ps != 0 || jobs.alone_jobs[i] == ExperimentJobs::kVariant) continue;
    const std::optional<Simulation>& run = done[jobs.alone_jobs[i]];
    is_complete = is_complete && run;
    if (!run) continue;
    jobs.alone_runs[i] = AloneRun(run->result);
    cache.store(jobs.alone_keys[i], jobs.alone_runs[i]);
  }
  if (!is_complete) throw Interrupted{};
}

// Runs the applications alone to the end before the variants, which need their instruction counts.
Simulations run_alone_before(ExperimentJobs& jobs, Experiment& experiment, const AloneCache& cache,
                             const JobRunner& runner) {
  take_alone(jobs, runner.run(jobs.alone), cache);
  for (std::size_t i = 0; i < experiment.applications.size(); ++i)
    experiment.applications[i].target_instructions = jobs.alone_runs[i].warp_instructions;
  for (std::size_t i = 0; i < jobs.variants.size(); ++i) jobs.variants[i].machine = machine_of(experiment, i);
  return runner.run(jobs.variants);
}

// Runs all jobs together. Those alone come first, so that an interruption later keeps the variants that have
// ended.
Simulations run_together(ExperimentJobs& jobs, const AloneCache& cache, const JobRunner& runner) {
  std::vector<Job> all = jobs.alone;
  all.insert(all.end(), jobs.variants.begin(), jobs.variants.end());
  Simulations done = runner.run(all);
  const auto first_variant = done.begin() + static_cast<std::ptrdiff_t>(jobs.alone.size());
  take_alone(jobs, {done.begin(), first_variant}, cache);
  done.erase(done.begin(), first_variant);
  return done;
}

}  // namespace

ExperimentJobs make_experiment_jobs(const Experiment& experiment, const AloneCache& cache,
                                    const std::string& directory, const Job& files) {
  ExperimentJobs jobs;
  for (std::size_t variant = 0; variant < experiment.variants.size(); ++variant) {
    Job job = files;
    job.label = variant_label(experiment, variant);
    job.machine = machine_of(experiment, variant);
    job.directory = directory + "/" + folder_of(variant, job.label);
    jobs.variants.push_back(job);
  }
  if (runs_alone(experiment)) {
    jobs.alone_keys.emplace_back();
    jobs.alone_runs.emplace_back();
    jobs.alone_jobs.push_back(ExperimentJobs::kVariant);
    return jobs;
  }
  std::map<std::string, std::size_t> job_of;  // by key
  for (std::size_t i = 0; i < experiment.applications.size(); ++i) {
    jobs.alone_keys.push_back(AloneCache::key(experiment, i));
    const std::string& key = jobs.alone_keys.back();
    jobs.alone_runs.push_back(cache.find(key).value_or(AloneRun{}));
    jobs.alone_jobs.push_back(jobs.alone.size());
    if (jobs.alone_runs.back().turnaround_ps != 0) continue;
    if (!key.empty()) {
      const auto [same, is_first] = job_of.emplace(key, jobs.alone.size());
      jobs.alone_jobs.back() = same->second;
      if (!is_first) continue;
    }
    Job job;
    job.label = experiment.applications[i].application.program.name + " alone";
    job.machine = machine_alone(experiment, i);
    job.limit = files.limit;
    for (auto& [name, block] : job.machine.gpu.rtl)
      block.dump.reset();  // of the application among the others
    jobs.alone.push_back(job);
  }
  return jobs;
}

Simulations run_experiment_jobs(ExperimentJobs& jobs, Experiment& experiment, const AloneCache& cache,
                                std::size_t parallel, bool quiet) {
  const JobRunner runner(experiment.name, parallel, quiet);
  Simulations runs = needs_targets(experiment) ? run_alone_before(jobs, experiment, cache, runner)
                                               : run_together(jobs, cache, runner);
  for (std::size_t i = 0; i < jobs.alone_runs.size(); ++i) {
    if (jobs.alone_jobs[i] != ExperimentJobs::kVariant) continue;
    if (!runs.front()) throw Interrupted{};
    jobs.alone_runs[i] = AloneRun(runs.front()->result);
  }
  if (std::none_of(runs.begin(), runs.end(), [](const auto& run) { return run.has_value(); }))
    throw Interrupted{};
  return runs;
}

}  // namespace heddle
