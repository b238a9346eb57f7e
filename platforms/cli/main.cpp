// The heddle program.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <systemc>

#include "models/core/base/log.h"
#include "models/core/config/config.h"
#include "platforms/cli/batch_verbs.h"
#include "platforms/cli/commands.h"
#include "platforms/run/job.h"
#include "platforms/run/output.h"
#include "platforms/run/provenance.h"

namespace {

struct Arguments {
  heddle::BenchOptions bench;
  heddle::RunOptions run;
  heddle::CaptureOptions capture;
  heddle::DramOptions dram;
  heddle::BatchArguments batch;
  heddle::ReproduceOptions reproduce;
  heddle::PhasesOptions phases;
  heddle::EstimateOptions estimate;
  std::string log_filter = "warning";
  std::string log_file;
  std::string file;
  std::vector<std::string> check_sets;
  heddle::ListOptions list;
};

void add_list(CLI::App& app, heddle::ListOptions& options) {
  CLI::App* list = app.add_subcommand("list", "List what there is, with parameters, units and defaults");
  list->add_option("what", options.what,
                   "policies, platforms, applications, launches, experiments, campaigns, papers; keys of a "
                   "platform, or counters of a machine")
      ->required()
      ->check(CLI::IsMember({"policies", "platforms", "applications", "launches", "experiments", "campaigns",
                             "papers", "keys", "counters"}));
  list->add_option("--platform", options.platform, "whose counters, by name or YAML file (default: gtx480)");
  list->add_flag("--markdown", options.markdown, "keys and counters as a table of Markdown");
}

void add_run(CLI::App& app, heddle::RunOptions& run) {
  CLI::App* verb = app.add_subcommand("run", "Run an experiment and keep its results");
  verb->add_option(
          "experiment", run.experiment,
          "an experiment's name (heddle list experiments) or YAML file, a launch file's (heddle list "
          "launches), a trace's kernelslist.g, or a captured program's .hcap")
      ->required();
  verb->add_option("--platform", run.platform,
                   "run on this platform instead of the experiment's; a trace, a launch file and a captured "
                   "program need one");
  verb->add_option(
          "--set", run.sets,
          "override one value, read as the file is: sm.count=8, mix.size=4, jitter=0.1; parameters.n=4096 "
          "of launch files")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--policy", run.policies, "replace a policy in every run: sm_partitioner=token")
      ->type_name("DECISION=NAME")
      ->allow_extra_args(false);
  verb->add_option("--seed", run.seed, "seed of the experiment's random draws")->check(heddle::check_count);
  verb->add_option("--out", run.out,
                   "results directory, which must not exist (default: results/NAME, numbered)");
  verb->add_option("--jobs", run.jobs, "simulations at a time (default: one per core)")
      ->check(heddle::check_count);
  verb->add_option(
      "--cache", run.cache,
      "where times of applications alone are kept, or none (default: $HEDDLE_CACHE, ~/.cache/heddle)");
  verb->add_flag("--timeline", run.timeline,
                 "write a timeline for ui.perfetto.dev beside each run's statistics");
  verb->add_flag("--functional", run.functional,
                 "of a launch file: execute it without a machine, and check it");
  verb->add_flag("--json", run.json, "print the summary as one JSON object and nothing else");
  verb->add_flag("--quiet", run.quiet, "no progress line");
  verb->add_flag("--build-reversed", run.build_reversed,
                 "construct the hardware in reverse order; the results must be the same");
  verb->footer(
      "Examples:\n"
      "  heddle run parboil-eight\n"
      "  heddle run parboil-eight --policy sm_partitioner=spatial --set sm.count=8 --timeline\n"
      "  heddle run stimuli/traces/fma32/kernelslist.g --platform gtx480 --json\n"
      "  heddle run vector_add --set parameters.n=4096 --functional\n"
      "  heddle run parboil-mix --set mix.size=8 --set mix.index=3 --json");
}

void add_capture(CLI::App& app, heddle::CaptureOptions& capture) {
  CLI::App* verb =
      app.add_subcommand("capture", "Run a CUDA program without a GPU; keep it as an application");
  verb->add_option("-o,--out", capture.out, "the captured program: NAME.hcap, replaced where it exists")
      ->required();
  verb->add_option("--platform", capture.platform,
                   "whose properties the program is shown, by name or YAML file (default: k20)");
  verb->add_flag("--racy", capture.racy,
                 "its results may differ from run to run: replays do not compare them");
  verb->add_option("program", capture.program, "the program and its arguments, after --")->required();
  verb->footer(
      "The program must be linked with the shared runtime: nvcc -cudart shared.\nExample:\n"
      "  heddle capture -o saxpy.hcap -- ./saxpy 1000\n  heddle run saxpy.hcap --platform gtx480");
}

void add_dram(CLI::App& app, heddle::DramOptions& dram) {
  CLI::App* verb = app.add_subcommand("dram", "Drive one memory channel with a trace of requests");
  verb->add_option("trace", dram.trace, "lines of R 0x<hex> or W 0x<hex>, byte addresses in the channel")
      ->required();
  verb->add_option("--platform", dram.platform, "a platform with a dram section, by name or YAML file")
      ->required();
  verb->add_option("--channel-map", dram.channel_map, "replaces the platform's address map")
      ->type_name("LETTERS");
  verb->add_option("--outstanding", dram.outstanding, "most reads without their last data beat (default: 64)")
      ->check(heddle::check_count)
      ->check(CLI::Range(1, 1 << 20));
  verb->add_flag("--no-refresh", dram.no_refresh, "as dram.refresh=off");
  verb->add_option("--command-trace", dram.command_trace, "write each command: clk CMD group bank row");
  verb->add_option("--set", dram.sets, "override one value of the platform: dram.timing.cl=14")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--policy", dram.policies, "replace a policy: dram_scheduler=fcfs")
      ->type_name("DECISION=NAME")
      ->allow_extra_args(false);
  verb->add_flag("--json", dram.json, "print the result as one JSON object and nothing else");
  verb->footer("Example:\n  heddle dram requests.txt --platform gtx480 --no-refresh --json");
}

void add_bench(CLI::App& app, heddle::BenchOptions& bench) {
  CLI::App* verb = app.add_subcommand("bench", "Measure what simulation costs on this machine, in CPU time");
  verb->add_flag("--quick", bench.quick, "measure once, not the median of three");
  verb->add_flag("--json", bench.json, "print the result as one JSON object and nothing else");
}

// "200k" cycles.
std::string read_window(const std::string& text, std::uint64_t& window) {
  const bool scaled = !text.empty() && (text.back() == 'k' || text.back() == 'M');
  const std::string digits = scaled ? text.substr(0, text.size() - 1) : text;
  const std::uint64_t scale = !scaled ? 1 : text.back() == 'k' ? 1000 : 1000000;
  if (!heddle::check_count(digits).empty() || digits.size() > 12 || std::stoull(digits) == 0)
    return "'" + text + "' is no number of cycles: 200k, 2M, 150000";
  window = std::stoull(digits) * scale;
  return "";
}

void add_reproduce(CLI::App& app, heddle::ReproduceOptions& options) {
  CLI::App* verb =
      app.add_subcommand("reproduce", "Run a paper's experiments; its figures beside ours on one page");
  verb->add_option("paper", options.paper, "a paper's name (heddle list papers) or YAML file, or all")
      ->required();
  verb->add_option("--window", "cycles of each run that ends after a number of them (default: the paper's)")
      ->type_name("CYCLES")
      ->each([&options](const std::string& text) {
        const std::string problem = read_window(text, options.window);
        if (!problem.empty()) throw CLI::ValidationError("--window", problem);
      });
  verb->add_option("--out", options.out, "where everything goes (default: results/reproduce)");
  verb->add_option("--jobs", options.jobs, "runs at a time (default: one per core)")
      ->check(heddle::check_count);
  verb->add_flag("--strict", options.strict, "no page unless every run is ok");
  verb->add_flag("--quiet", options.quiet, "no progress");
  verb->footer(
      "What was run is not run again; an interrupted one goes on.\nExample:\n  heddle reproduce cusched");
}

void add_phases(CLI::App& app, heddle::PhasesOptions& options) {
  CLI::App* verb = app.add_subcommand("phases", "Print a PTX kernel's phases; draw its live registers");
  verb->add_option("kernel", options.kernel, "a kernel's name (stimuli/kernels) or a PTX file")->required();
  verb->add_option("--entry", options.entry, "one entry of the file (default: all)");
  verb->add_option("--dynamic-shared", options.dynamic_shared, "bytes of shared memory given at launch")
      ->check(heddle::check_count);
  verb->add_option("--live-change", options.live_change, "share of what is live that starts a phase")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  verb->add_option("--minimum-instructions", options.minimum_instructions,
                   "of a phase, in the order of the text")
      ->capture_default_str();
  verb->footer("Example:\n  heddle phases dct_8x8");
}

void add_estimate(CLI::App& app, heddle::EstimateOptions& options) {
  CLI::App* verb = app.add_subcommand("estimate", "Estimate, without a run, how two kernels share the GPU");
  const auto add_list = [&](const char* name, std::vector<std::string>& values, const char* what,
                            const char* type) {
    verb->add_option(name, values, what)->type_name(type)->allow_extra_args(false);
  };
  verb->add_option("experiment", options.experiment,
                   "an experiment of two applications; the first one's kernels come first")
      ->required();
  verb->add_option("--platform", options.platform, "in place of the experiment's");
  add_list("--set", options.sets, "override one value, as for run: sm.count=8", "KEY=VALUE");
  add_list("--alone", options.alone, "what a kernel takes alone (default: from its measured time)",
           "APPLICATION.KERNEL=TIME");
  add_list("--traffic", options.traffic, "what a kernel reads and writes in DRAM alone, for contention",
           "APPLICATION.KERNEL=BANDWIDTH");
  verb->add_option("--bandwidth", options.bandwidth,
                   "what kernels together can reach of DRAM (default: the platform's peak)");
  verb->add_option("--launch-overhead", options.launch_overhead,
                   "a first kernel no longer than this is over before the second (default: the platform's "
                   "launch latency)");
  verb->add_option("--placement", options.placement, "of the first kernel's blocks")
      ->check(CLI::IsMember({"packed", "breadth"}))
      ->capture_default_str();
  verb->add_flag("--json", options.json, "print the result as one JSON object and nothing else");
  verb->footer("Example:\n  heddle estimate pair.yaml --traffic lbm.StreamCollide=120GB/s");
}

void define(CLI::App& app, Arguments& arguments) {
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", heddle::version());
  app.add_option(
      "--log-level", arguments.log_filter,
      "trace, debug, info, warning, error or off; engine=debug for one component; several with commas");
  app.add_option("--log-file", arguments.log_file, "write the log there too");
  app.fallthrough();
  app.footer(
      "Start with: heddle run parboil-eight\n"
      "Exit codes: 0 well, 1 batch diff found a difference, 2 bad usage or input, 3 a run failed, 130 "
      "interrupted.");
  add_bench(app, arguments.bench);
  add_run(app, arguments.run);
  add_capture(app, arguments.capture);
  add_dram(app, arguments.dram);
  heddle::add_batch(app, arguments.batch);
  add_reproduce(app, arguments.reproduce);
  add_phases(app, arguments.phases);
  add_estimate(app, arguments.estimate);
  CLI::App* check = app.add_subcommand(
      "check",
      "Validate a platform, application, launch file, experiment, campaign or paper; print what follows");
  check->add_option("file", arguments.file, "its YAML file, or a platform's name")->required();
  check->add_option("--set", arguments.check_sets, "override one value")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_list(app, arguments.list);
}

int run_verb(const CLI::App& app, const Arguments& arguments) {
  if (app.got_subcommand("bench")) return heddle::bench_command(arguments.bench);
  if (app.got_subcommand("run"))
    return arguments.run.functional ? heddle::functional_command(arguments.run)
                                    : heddle::run_command(arguments.run);
  if (app.got_subcommand("capture")) return heddle::capture_command(arguments.capture);
  if (app.got_subcommand("dram")) return heddle::dram_command(arguments.dram);
  if (app.got_subcommand("batch"))
    return heddle::run_batch_verb(*app.get_subcommand("batch"), arguments.batch, arguments.run.argv);
  if (app.got_subcommand("reproduce")) {
    heddle::ReproduceOptions options = arguments.reproduce;
    options.argv = arguments.run.argv;
    return heddle::reproduce_command(options);
  }
  if (app.got_subcommand("phases")) return heddle::phases_command(arguments.phases);
  if (app.got_subcommand("estimate")) return heddle::estimate_command(arguments.estimate);
  if (app.got_subcommand("check")) return heddle::check_command(arguments.file, arguments.check_sets);
  if (app.got_subcommand("list")) return heddle::list_command(arguments.list);
  throw heddle::config::Error(
      {"what to do: bench, run, capture, dram, batch, reproduce, phases, estimate, check or list? See heddle "
       "--help"});
}

// Standard output may be a full disk; what is lost there must not look like success.
int after_output(int exit_code) {
  std::cout.flush();
  if (std::cout || exit_code != 0) return exit_code;
  throw heddle::OutputError("cannot write to the standard output");
}

}  // namespace

int sc_main(int argc, char** argv) {
  CLI::App app{"Heddle: a virtual platform of a multiprogrammed GPU.", "heddle"};
  Arguments arguments;
  arguments.run.argv.assign(argv, argv + argc);
  define(app, arguments);
  try {
    app.parse(argc, argv);
    if (const std::string error = heddle::log::configure(arguments.log_filter, arguments.log_file);
        !error.empty())
      throw heddle::config::Error({error});
    return after_output(run_verb(app, arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "heddle: " << error.what() << "; see heddle --help\n";
    return heddle::kExitUsage;
  } catch (const heddle::config::Error& error) {
    std::cerr << "heddle: " << error.what() << "\n";
    return heddle::kExitUsage;
  } catch (const heddle::Interrupted&) {
    std::cerr << "heddle: interrupted; nothing was kept\n";
    return 130;
  } catch (const std::exception& error) {
    std::cerr << "heddle: " << error.what() << "\n";
    return heddle::kExitFailed;
  }
}

int main(int argc, char** argv) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);  // standard output belongs to results
  return sc_core::sc_elab_and_sim(argc, argv);
}
