#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <thread>

#include "models/core/base/log.h"
#include "models/core/config/config.h"
#include "models/gpu/host_threads.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/limit_option.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/experiment_jobs.h"
#include "platforms/cli/verbs/functional_run.h"
#include "platforms/cli/verbs/series_options.h"
#include "platforms/experiment/trace_request.h"
#include "platforms/run/alone_cache.h"
#include "platforms/run/job.h"
#include "platforms/run/output.h"
#include "platforms/run/provenance_codec.h"
#include "platforms/run/result/policy_notes.h"
#include "platforms/run/result/request_notes.h"
#include "platforms/run/result/rtl_notes.h"
#include "platforms/run/result/summary_codec.h"
#include "platforms/run/result/tables/summary_tables.h"
#include "platforms/run/result/tables/unfairness_table.h"
#include "platforms/run/trace_file.h"
#include "policies/instances/i_instances.h"
#include "stimuli/application/launch_ranges.h"

namespace heddle {

namespace {

struct RunOptions {
  std::string experiment;
  Overrides overrides;
  std::string out;                 // empty: results/<experiment>, numbered where that exists
  std::string cache;               // of times of applications alone and of traces; see AloneCache
  std::size_t jobs = 0;            // simulations at a time; 0: as many as cores allow
  unsigned threads = 1;            // of each simulation
  std::string timeline;            // a level of detail, see kTimelineDetails; empty: no timeline
  std::vector<std::string> trace;  // see platforms/experiment/trace_request.h
  std::string stats = "compact";   // or full: stats.csv, too
  SeriesOptions series;
  std::vector<std::string> limits;  // see run_limit()
  std::string kernels;              // see LaunchRanges; empty: all, or as the next two say
  std::optional<std::uint64_t> skip;
  std::optional<std::uint64_t> stop_after;
  bool functional = false;  // see functional_run.h
  std::string order;        // with `functional`; empty: not given
  bool json = false;
  bool quiet = false;
  bool build_reversed = false;
  bool trust = false;
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

using Simulations = std::vector<std::optional<Simulation>>;  // by variant; empty: interrupted

std::size_t missing_of(const Simulations& runs) {
  return static_cast<std::size_t>(std::count(runs.begin(), runs.end(), std::nullopt));
}

Summary summary_of(const Experiment& experiment, const ExperimentJobs& jobs, const Simulations& runs) {
  std::vector<std::optional<RunResult>> results(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i]) results[i] = runs[i]->result;
  return summarise(experiment, results, jobs.alone_runs);
}

// Removes the folders of runs that were interrupted, and writes the files of all runs together.
void write_results(const Words& argv, const Experiment& experiment, const Summary& summary,
                   const ExperimentJobs& jobs, const Simulations& runs, const std::string& directory) {
  write_inputs(experiment, directory);
  write_file(directory + "/summary.json", summary_text(summary));
  std::size_t kept = 0;  // the summary leaves out runs that were interrupted
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]) continue;
    const RunMeasures& measures = summary.runs[kept++].measures;
    if (measures.unfairness)
      write_file(jobs.variants[i].directory + "/unfairness.csv", unfairness_csv(measures));
  }
  Provenance origin = provenance(argv);
  origin.notes = experiment.kernel_notes;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]) {
      const RunCost& cost = runs[i]->cost;
      origin.runs.push_back(
          {jobs.variants[i].label, {cost.wall_seconds, cost.cycles_per_second(runs[i]->result)}});
    } else {
      std::filesystem::remove_all(jobs.variants[i].directory);
    }
  }
  write_file(directory + "/provenance.json", provenance_text(origin));
}

// Returns the launches that --kernels, or --skip and --stop-after choose; empty: all of them.
std::string chosen_launches(const RunOptions& options) {
  if (options.kernels.empty() && !options.skip && !options.stop_after) return "";
  if (options.kernels.empty()) {
    const std::uint64_t skipped = options.skip.value_or(0);
    return LaunchRanges(skipped + 1, options.stop_after ? skipped + *options.stop_after : LaunchRanges::kEnd)
        .text();
  }
  if (options.skip || options.stop_after)
    throw config::Error({"--kernels names the launches: --skip and --stop-after do not go with it"});
  try {
    return LaunchRanges::read(options.kernels).text();
  } catch (const std::invalid_argument& error) {
    throw config::Error({fmt::format("--kernels: {}", error.what())});
  }
}

// Throws config::Error for an option that has a meaning only with a machine.
void refuse_machine_options(const RunOptions& options) {
  const auto refuse = [](const std::string& option) {
    throw config::Error({fmt::format("--functional runs without a machine: {} has no meaning", option)});
  };
  for (const std::string& option : options.overrides.given())
    if (option != "--set") refuse(option);
  if (!options.out.empty()) refuse("--out");
  if (!options.timeline.empty()) refuse("--timeline");
  if (!options.trace.empty()) refuse("--trace");
  if (options.stats != "compact") refuse("--stats");
  if (!options.series.interval.empty() || !options.series.patterns.empty()) refuse("--interval");
  if (options.series.waves) refuse("--waves");
  if (options.threads != 1) refuse("--threads");
  if (!chosen_launches(options).empty()) refuse("--kernels, --skip or --stop-after");
}

// Returns why no policy had anything to divide, as the end of a sentence; empty if that is not known.
std::string why_nothing_was_shared(const Experiment& experiment, const Simulations& runs) {
  if (experiment.applications.size() == 1 &&
      std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run->result.shared_cycles == 0; }))
    return "; there is one application, and no two kernels of it were on the GPU at once";
  if (experiment.applications.size() == 1) return "; there is one application";
  const bool is_serial =
      std::all_of(experiment.variants.begin(), experiment.variants.end(),
                  [](const auto& one) { return one.at("command_arbiter").name == "single-queue"; });
  if (is_serial)
    return "; command_arbiter single-queue runs one application at a time, so nothing was shared";
  if (!std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run->result.shared_cycles == 0; }))
    return "";
  return experiment.start_together
             ? "; no two kernels were on the GPU at once"
             : "; no two kernels were on the GPU at once (start: together aligns the first launches)";
}

// Returns a note for runs that have the same times, or an empty text.
std::string note_of_equal_runs(const Experiment& experiment, const Simulations& runs) {
  const auto times_of = [](const Simulation& run) {
    std::vector<std::uint64_t> times{run.result.simulated_ps, run.result.cycles};
    for (const ApplicationResult& one : run.result.applications) times.push_back(one.turnaround_ps);
    return times;
  };
  if (runs.size() == 1 && runs.front() && runs.front()->result.shared_cycles == 0 &&
      experiment.applications.size() > 1 && experiment.variants.front().count(Instances::kDecision) == 0)
    return "the policies had nothing to divide" + why_nothing_was_shared(experiment, runs);
  if (runs.size() < 2 || missing_of(runs) != 0 ||
      !std::all_of(runs.begin(), runs.end(),
                   [&](const auto& run) { return times_of(*run) == times_of(*runs.front()); }))
    return "";
  return fmt::format("all {} runs took the same time: the policies in which they differ decided nothing{}",
                     runs.size(), why_nothing_was_shared(experiment, runs));
}

// Tells of runs in which nothing that --trace names has happened.
void note_empty_traces(const ExperimentJobs& jobs, const std::string& directory) {
  for (const Job& job : jobs.variants) {
    const std::string folder = directory + "/" + std::filesystem::path(job.directory).filename().string();
    if (std::filesystem::exists(folder) && TraceFile::is_empty(folder))
      std::cerr << fmt::format("note: {}: nothing that --trace names has happened\n", job.label);
  }
}

Job files_of(const RunOptions& options) {
  Job files;
  files.timeline = timeline_detail(options.timeline);
  for (const std::string& text : options.trace) files.trace.push_back(read_trace_selection(text));
  files.full_stats = options.stats == "full";
  files.series = series_of(options.series);
  files.limit = run_limit(options.limits, true);
  files.build_reversed = options.build_reversed;
  files.threads = options.threads;
  return files;
}

// Tells of runs that were interrupted, and returns the exit code.
int report_end(const Summary& summary) {
  if (summary.missing.empty()) return 0;
  std::cerr << fmt::format("heddle: interrupted; {} of {} runs were kept, missing: {}\n", summary.runs.size(),
                           summary.runs.size() + summary.missing.size(), fmt::join(summary.missing, "; "));
  return kExitInterrupted;
}

// A run in which the results of one of these differ from what is expected has failed before.
std::vector<std::string> checked_applications(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const ExperimentApplication& one : experiment.applications)
    if (one.checked) names.push_back(one.application.program.name);
  return names;
}

int run_experiment(const RunOptions& options, const Words& argv) {
  if (options.functional) {
    refuse_machine_options(options);
    return run_functionally(options.experiment, options.overrides, functional_order(options.order),
                            run_limit(options.limits, false), options.json);
  }
  if (!options.order.empty())
    throw config::Error({"--order: on a machine the hardware orders the warps; --functional takes an order"});
  const AloneCache cache(options.cache);
  Experiment experiment =
      load_experiment(options.experiment, options.overrides,
                      {options.trust, chosen_launches(options), nullptr, cache.directory()});
  for (const std::string& note : experiment.notes) std::cerr << "note: " << note << "\n";
  if (options.threads > 1)
    if (const std::string why = why_one_thread(experiment.platform); !why.empty())
      std::cerr << fmt::format("note: --threads {}: one thread is used, because {}\n", options.threads, why);
  catch_interrupts();
  const std::unique_ptr<ResultsDirectory> results = results_directory(options, experiment);
  ExperimentJobs jobs = make_experiment_jobs(experiment, cache, results->draft(), files_of(options));
  for (const Job& job : jobs.variants) check_trace(job.trace, job.machine);
  check_series(options.series, jobs.variants.front());
  const std::vector<std::unique_ptr<ResultFile>> waves = claim_waves(options.series, jobs.variants);
  const std::size_t parallel =
      options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency() / options.threads);
  Simulations runs;
  try {
    runs = run_experiment_jobs(jobs, experiment, cache, parallel, options.quiet);
  } catch (const RunFailure& failure) {
    std::cerr << "heddle: " << failure.what() << "\n";
    return kExitFailed;
  }
  const Summary summary = summary_of(experiment, jobs, runs);
  write_results(argv, experiment, summary, jobs, runs, results->draft());
  for (std::size_t i = 0; i < waves.size(); ++i)
    if (runs[i]) waves[i]->finish();
  results->finish();
  if (const std::string note = note_of_equal_runs(experiment, runs); !note.empty())
    std::cerr << "note: " << note << "\n";
  for (const std::string& note : request_notes(summary)) std::cerr << "note: " << note << "\n";
  for (const std::string& note : policy_notes(summary)) std::cerr << "note: " << note << "\n";
  for (const std::string& note : rtl_notes(summary)) std::cerr << "note: " << note << "\n";
  if (!options.trace.empty()) note_empty_traces(jobs, results->path());
  if (options.json) {
    std::cout << summary_line(summary) << std::endl;
  } else {
    print_summary(summary, std::cout);
    if (const std::vector<std::string> checked = checked_applications(experiment); !checked.empty())
      std::cout << fmt::format("\nchecks passed: {}\n", fmt::join(checked, ", "));
    for (std::size_t i = 0; i < waves.size(); ++i)
      if (runs[i]) std::cout << "\nwaves: " << waves[i]->path();
    std::cout << "\nresults: " << results->path() << std::endl;
  }
  return report_end(summary);
}

void declare_run(CommandLine& verb, RunOptions& options) {
  verb.add_option("experiment", options.experiment,
                  "an experiment's name (heddle list experiments) or YAML file, a launch file's (heddle list "
                  "launches), a trace's kernelslist.g, or a captured program's .hcap")
      .required();
  add_overrides(verb, options.overrides,
                {{"--platform",
                  "run on this platform instead of the experiment's; a trace, a launch file and a captured "
                  "program need one"},
                 {"--set",
                  "override one value, read as the file is: sm.count=8, mix.size=4, jitter=0.1; "
                  "parameters.n=4096 of launch files"},
                 {"--policy", "replace a policy in every run: sm_partitioner=token"}});
  verb.add_option("--out", options.out,
                  "results directory, which must not exist (default: results/NAME, numbered)");
  add_jobs_option(verb, options.jobs, "simulations at a time (default: one per core and thread)");
  add_threads_option(verb, options.threads,
                     "threads of each simulation, 1 to 64 (default: 1); the results are the same");
  verb.add_option(
      "--cache", options.cache,
      "where times of applications alone and blocks of traces are kept, or none (default: $HEDDLE_CACHE, "
      "~/.cache/heddle)");
  verb.add_flag(
          "--timeline{sms}", options.timeline,
          "write a timeline for ui.perfetto.dev beside each run's statistics: which kernel holds which SM. "
          "--timeline=kernels has kernels and copies alone, --timeline=blocks every block, too")
      .one_of({"kernels", "sms", "blocks"});
  add_repeated_option(
      verb, "--trace", options.trace,
      "follow warps of cycle SMs through the pipeline, and their requests through crossbar, L2 and DRAM, "
      "into "
      "trace.txt and trace.csv beside each run's statistics, and into the timeline if there is one: "
      "sm3.warp5, "
      "sm3, kernel=NAME or cycles=FIRST-LAST, or several of these with commas between, which hold together; "
      "given several times, the selections add up",
      "SELECTION");
  verb.add_option("--stats", options.stats,
                  "compact or full: write every statistic into stats.csv, too (default: compact)")
      .one_of({"compact", "full"});
  declare_series(verb, options.series);
  verb.add_option(
          "--kernels", options.kernels,
          "of a captured program or a trace: simulate these launches alone, such as 3-5, 3- or 1,4-6, "
          "and end behind the last one. Those before are executed in next to no time, or left out of a "
          "trace")
      .type_name("RANGES");
  verb.add_option("--skip", options.skip, "the same without the first so many launches").check(check_count);
  verb.add_option("--stop-after", options.stop_after, "the same up to so many launches behind those")
      .check(check_positive_count);
  add_limit_option(verb, options.limits, true, "none");
  verb.add_flag("--functional", options.functional,
                "of a launch file or a captured program: execute it without a machine, and check it");
  add_order_option(verb, options.order);
  add_json_flag(verb, options.json, "the summary as one JSON object and nothing else");
  add_trust_flag(verb, options.trust);
  add_quiet_flag(verb, options.quiet, "no progress");
  verb.add_flag("--build-reversed", options.build_reversed,
                "construct the hardware in reverse order; the results must be the same");
  verb.footer(
      "Examples:\n"
      "  heddle run parboil-eight\n"
      "  heddle run parboil-eight --policy sm_partitioner=spatial --set sm.count=8 --timeline=blocks\n"
      "  heddle run vector_add --platform gtx480 --interval 1000cycles --series 'gpu.sm*.cycles.*'\n"
      "  heddle run vector_add --platform gtx480 --interval 1000cycles --waves run.fst\n"
      "  heddle run vector_add --platform gtx480 --trace sm3.warp5,cycles=0-5000 --timeline\n"
      "  heddle run stimuli/traces/fma32/kernelslist.g --platform gtx480 --json\n"
      "  heddle run vector_add --set parameters.n=4096 --functional\n"
      "  heddle run parboil-mix --set mix.size=8 --set mix.index=3 --json");
}

const VerbRegistration kRun("run", 20, "Run an experiment and keep its results", declare_run, run_experiment);

}  // namespace

}  // namespace heddle
