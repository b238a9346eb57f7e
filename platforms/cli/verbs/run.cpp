#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "models/core/base/log.h"
#include "models/core/config/config.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/functional_run.h"
#include "platforms/cli/verbs/series_options.h"
#include "platforms/run/alone_cache.h"
#include "platforms/run/job.h"
#include "platforms/run/output.h"
#include "platforms/run/provenance_codec.h"
#include "platforms/run/result/summary_codec.h"
#include "platforms/run/result/summary_tables.h"

namespace heddle {

namespace {

struct RunOptions {
  std::string experiment;
  std::vector<std::string> sets;
  std::vector<std::string> policies;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> platform;
  std::string out;                // empty: results/<experiment>, numbered where that exists
  std::string cache;              // of the times of applications alone; see AloneCache
  std::size_t jobs = 0;           // simulations at a time; 0: one per core
  std::string timeline;           // a level of detail, see kTimelineDetails; empty: no timeline
  std::string stats = "compact";  // or full: stats.csv, too
  SeriesOptions series;
  bool functional = false;  // see functional_run.h
  bool json = false;
  bool quiet = false;
  bool build_reversed = false;
};

// The levels of --timeline; the first one is the default.
constexpr std::pair<const char*, TimelineDetail> kTimelineDetails[] = {{"sms", TimelineDetail::kSms},
                                                                       {"kernels", TimelineDetail::kKernels},
                                                                       {"blocks", TimelineDetail::kBlocks}};

std::optional<TimelineDetail> timeline_detail(const std::string& name) {
  for (const auto& [known, detail] : kTimelineDetails)
    if (name == known) return detail;
  return std::nullopt;
}

std::unique_ptr<ResultsDirectory> results_directory(const RunOptions& options, const Experiment& experiment) {
  if (options.out.empty()) return ResultsDirectory::numbered("results/" + experiment.name);
  return std::make_unique<ResultsDirectory>(options.out);
}

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
  enum class Output : std::uint8_t { kNone, kTerminal, kLines };

  ProgressLine(const std::vector<Job>& jobs, Output output)
      : jobs_(jobs), output_(output), fractions_(jobs.size()) {}
  ~ProgressLine() {
    if (drawn_) std::cerr << "\r\033[K" << std::flush;
  }
  void draw(const JobProgress& progress) {
    fractions_[progress.job] = progress.fraction;
    if (output_ == Output::kNone) return;
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

constexpr std::size_t kVariant = SIZE_MAX;

struct Plan {
  std::vector<Job> variants;
  std::vector<Job> alone;  // of the applications that are not in the cache
  std::vector<std::size_t>
      alone_jobs;  // by application: place in `alone`, or kVariant if the first variant is the run alone
  std::vector<AloneRun> alone_runs;  // by application: from the cache, or empty until it is run
  std::vector<std::string> alone_keys;
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

Plan make_plan(const RunOptions& options, const Experiment& experiment, const AloneCache& cache,
               const std::string& directory) {
  Plan plan;
  const SeriesRequest series = series_of(options.series);
  for (std::size_t variant = 0; variant < experiment.variants.size(); ++variant) {
    Job job;
    job.label = variant_label(experiment, variant);
    job.machine = machine_of(experiment, variant);
    job.directory = directory + "/" + folder_of(variant, job.label);
    job.timeline = timeline_detail(options.timeline);
    job.full_stats = options.stats == "full";
    job.series = series;
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
    for (auto& [name, block] : job.machine.gpu.rtl)
      block.dump.reset();  // of the application among the others
    plan.alone.push_back(job);
  }
  return plan;
}

struct RunFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs several jobs at a time. Throws RunFailure that names all jobs that failed.
class JobRunner {
 public:
  JobRunner(const RunOptions& options, const Experiment& experiment)
      : parallel_(options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency())),
        progress_(options.quiet                  ? ProgressLine::Output::kNone
                  : ::isatty(STDERR_FILENO) == 1 ? ProgressLine::Output::kTerminal
                                                 : ProgressLine::Output::kLines),
        name_(experiment.name) {}

  std::vector<Simulation> run(const std::vector<Job>& jobs) const {
    std::vector<JobResult> done;
    {
      ProgressLine line(jobs, progress_);
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
  const ProgressLine::Output progress_;
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

// Runs the applications alone first if the variants need their instruction counts; else it runs all jobs
// together.
std::vector<Simulation> run_plan(Plan& plan, Experiment& experiment, const AloneCache& cache,
                                 const JobRunner& runner) {
  if (needs_targets(experiment)) {
    take_alone(plan, runner.run(plan.alone), cache);
    for (std::size_t i = 0; i < experiment.applications.size(); ++i)
      experiment.applications[i].target_instructions = plan.alone_runs[i].warp_instructions;
    for (std::size_t i = 0; i < plan.variants.size(); ++i)
      plan.variants[i].machine = machine_of(experiment, i);
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

void write_results(const Words& argv, const Experiment& experiment, const Summary& summary,
                   const std::vector<Simulation>& runs, const std::string& directory) {
  write_inputs(experiment, directory);
  write_file(directory + "/summary.json", summary_text(summary));
  Provenance origin = provenance(argv);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunCost& cost = runs[i].cost;
    origin.runs.push_back(
        {summary.runs[i].label, {cost.wall_seconds, cost.cycles_per_second(runs[i].result)}});
  }
  write_file(directory + "/provenance.json", provenance_text(origin));
}

// Throws config::Error for an option that has a meaning only with a machine.
void refuse_machine_options(const RunOptions& options) {
  const auto refuse = [](const char* option) {
    throw config::Error({fmt::format("--functional runs without a machine: {} has no meaning", option)});
  };
  if (options.platform) refuse("--platform");
  if (!options.policies.empty()) refuse("--policy");
  if (options.seed) refuse("--seed");
  if (!options.out.empty()) refuse("--out");
  if (!options.timeline.empty()) refuse("--timeline");
  if (options.stats != "compact") refuse("--stats");
  if (!options.series.interval.empty() || !options.series.patterns.empty()) refuse("--interval");
  if (options.series.waves) refuse("--waves");
}

// Returns a note for runs that have the same times, or an empty text.
std::string note_of_equal_runs(const Experiment& experiment, const std::vector<Simulation>& runs) {
  const auto times_of = [](const Simulation& run) {
    std::vector<std::uint64_t> times{run.result.simulated_ps, run.result.cycles};
    for (const ApplicationResult& one : run.result.applications) times.push_back(one.turnaround_ps);
    return times;
  };
  if (runs.size() < 2 || !std::all_of(runs.begin(), runs.end(), [&](const Simulation& run) {
        return times_of(run) == times_of(runs.front());
      }))
    return "";
  const bool is_serial =
      experiment.applications.size() > 1 &&
      std::all_of(experiment.variants.begin(), experiment.variants.end(),
                  [](const auto& one) { return one.at("command_arbiter").name == "single-queue"; });
  return fmt::format(
      "all {} runs took the same time: the policies in which they differ decided nothing{}", runs.size(),
      is_serial ? "; command_arbiter single-queue runs one application at a time, so nothing was shared"
      : experiment.applications.size() == 1 ? "; there is one application"
                                            : "");
}

int run_experiment(const RunOptions& options, const Words& argv) {
  if (options.functional) {
    refuse_machine_options(options);
    run_functionally(options.experiment, options.sets, options.json);
    return 0;
  }
  Experiment experiment =
      load_experiment(options.experiment, {options.sets, options.policies, options.platform, options.seed});
  for (const std::string& note : experiment.notes) std::cerr << "note: " << note << "\n";
  catch_interrupts();
  const std::unique_ptr<ResultsDirectory> results = results_directory(options, experiment);
  const AloneCache cache(options.cache);
  Plan plan = make_plan(options, experiment, cache, results->draft());
  check_series(options.series, plan.variants.front());
  const std::vector<std::unique_ptr<DraftFile>> waves = claim_waves(options.series, plan.variants);
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
  results_of_runs.reserve(runs.size());
  for (const Simulation& run : runs) results_of_runs.push_back(run.result);
  const Summary summary = summarise(experiment, results_of_runs, alone_ps);
  write_results(argv, experiment, summary, runs, results->draft());
  for (const std::unique_ptr<DraftFile>& file : waves) file->finish();
  results->finish();
  if (const std::string note = note_of_equal_runs(experiment, runs); !note.empty())
    std::cerr << "note: " << note << "\n";
  if (options.json) {
    std::cout << summary_line(summary) << std::endl;
  } else {
    print_summary(summary, std::cout);
    for (const std::unique_ptr<DraftFile>& file : waves) std::cout << "\nwaves: " << file->path();
    std::cout << "\nresults: " << results->path() << std::endl;
  }
  return 0;
}

void declare_run(CLI::App& verb, RunOptions& options) {
  verb.add_option("experiment", options.experiment,
                  "an experiment's name (heddle list experiments) or YAML file, a launch file's (heddle list "
                  "launches), a trace's kernelslist.g, or a captured program's .hcap")
      ->required();
  add_platform_option(verb, options.platform,
                      "run on this platform instead of the experiment's; a trace, a launch file and a "
                      "captured program need one");
  add_set_option(verb, options.sets,
                 "override one value, read as the file is: sm.count=8, mix.size=4, jitter=0.1; "
                 "parameters.n=4096 of launch files");
  add_policy_option(verb, options.policies, "replace a policy in every run: sm_partitioner=token");
  verb.add_option("--seed", options.seed, "seed of the experiment's random draws")->check(check_count);
  verb.add_option("--out", options.out,
                  "results directory, which must not exist (default: results/NAME, numbered)");
  add_jobs_option(verb, options.jobs, "simulations at a time (default: one per core)");
  verb.add_option(
      "--cache", options.cache,
      "where times of applications alone are kept, or none (default: $HEDDLE_CACHE, ~/.cache/heddle)");
  verb.add_flag(
          "--timeline{sms}", options.timeline,
          "write a timeline for ui.perfetto.dev beside each run's statistics: which kernel holds which SM. "
          "--timeline=kernels has kernels and copies alone, --timeline=blocks every block, too")
      ->check(CLI::IsMember({"kernels", "sms", "blocks"}));
  verb.add_option("--stats", options.stats,
                  "compact or full: write every statistic into stats.csv, too (default: compact)")
      ->check(CLI::IsMember({"compact", "full"}));
  declare_series(verb, options.series);
  verb.add_flag("--functional", options.functional,
                "of a launch file: execute it without a machine, and check it");
  add_json_flag(verb, options.json, "the summary as one JSON object and nothing else");
  add_quiet_flag(verb, options.quiet, "no progress");
  verb.add_flag("--build-reversed", options.build_reversed,
                "construct the hardware in reverse order; the results must be the same");
  verb.footer(
      "Examples:\n"
      "  heddle run parboil-eight\n"
      "  heddle run parboil-eight --policy sm_partitioner=spatial --set sm.count=8 --timeline=blocks\n"
      "  heddle run vector_add --platform gtx480 --interval 1000cycles --series 'gpu.sm*.cycles.*'\n"
      "  heddle run vector_add --platform gtx480 --interval 1000cycles --waves run.fst\n"
      "  heddle run stimuli/traces/fma32/kernelslist.g --platform gtx480 --json\n"
      "  heddle run vector_add --set parameters.n=4096 --functional\n"
      "  heddle run parboil-mix --set mix.size=8 --set mix.index=3 --json");
}

const VerbRegistration kRun("run", 20, "Run an experiment and keep its results", declare_run, run_experiment);

}  // namespace

}  // namespace heddle
