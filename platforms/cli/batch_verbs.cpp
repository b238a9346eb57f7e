#include "platforms/cli/batch_verbs.h"

#include <CLI/CLI.hpp>

namespace heddle {

std::string check_count(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits && text.size() <= 18 ? "" : "'" + text + "' is no whole number from 0 to 10^18";
}

namespace {

void add_campaign(CLI::App& verb, BatchPlanOptions& options) {
  verb.add_option("campaign", options.campaign, "a campaign's name (heddle list campaigns) or YAML file")
      ->required();
  verb.add_option("--set", options.sets, "override one value of the campaign: limits.time=10s, repeats=3")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_results_of(CLI::App& verb, std::string& directory) {
  verb.add_option("directory", directory, "the campaign's results")->required();
}

void add_running(CLI::App& verb, BatchOptions& options) {
  verb.add_option("--jobs", options.jobs, "runs at a time (default: one per core)")->check(check_count);
  verb.add_flag("--quiet", options.quiet, "no progress");
}

void add_plan(CLI::App& batch, BatchPlanOptions& options) {
  CLI::App* plan =
      batch.add_subcommand("plan", "Validate a campaign; print its points and what is left, and run nothing");
  add_campaign(*plan, options);
  plan->add_option("--dir", options.directory, "where its results are (default: results/campaigns/NAME)");
  plan->add_option("--jobs", options.jobs, "runs at a time, for the estimate (default: one per core)")
      ->check(check_count);
  plan->add_flag("--all", options.all, "print every point, however many");
  plan->add_flag("--json", options.json, "print the campaign with all its points as one JSON object");
  plan->footer("Example:\n  heddle batch plan schedulers-by-sms --set limits.time=10s");
}

void add_runs(CLI::App& batch, BatchArguments& arguments) {
  const char* const directory = "the campaign's results (default: results/campaigns/NAME)";
  CLI::App* run = batch.add_subcommand("run", "Run what a campaign does not have yet");
  add_campaign(*run, arguments.plan);
  run->add_option("--dir", arguments.batch.directory, directory);
  add_running(*run, arguments.batch);
  run->footer("Example:\n  heddle batch run schedulers-by-sms --jobs 2");
  CLI::App* submit = batch.add_subcommand("submit", "Give what a campaign does not have yet to Slurm");
  add_campaign(*submit, arguments.plan);
  submit->add_option("--dir", arguments.batch.directory, directory);
  submit->footer("Example:\n  heddle batch submit schedulers-by-sms --set slurm.partition=short");
  CLI::App* resume = batch.add_subcommand("resume", "Run what a campaign does not have yet, or what failed");
  add_results_of(*resume, arguments.batch.directory);
  resume->add_option("--backend", arguments.backend, "where (default: where it ran last)")
      ->check(CLI::IsMember({"local", "slurm"}));
  add_running(*resume, arguments.batch);
  CLI::App* status = batch.add_subcommand("status", "Print how far a campaign is, and what failed");
  add_results_of(*status, arguments.batch.directory);
  status->add_flag("--json", arguments.batch.json, "print one JSON object and nothing else");
  CLI::App* task = batch.add_subcommand("task", "Run one chunk of a submission: for its task script");
  task->add_option("submission", arguments.submission, "DIRECTORY/submissions/NUMBER")->required();
  task->add_option("chunk", arguments.chunk, "which, from 0")->required()->check(check_count);
  add_running(*task, arguments.batch);
}

void add_results(CLI::App& batch, BatchArguments& arguments) {
  CLI::App* collect = batch.add_subcommand("collect", "Write a campaign's results as SQLite and CSV");
  add_results_of(*collect, arguments.collect.directory);
  collect->add_flag("--strict", arguments.collect.strict, "write nothing unless every run is ok");
  collect->add_flag("--json", arguments.collect.json, "print one JSON object and nothing else");
  collect->add_flag("--quiet", arguments.collect.quiet, "print nothing");
  CLI::App* report =
      batch.add_subcommand("report", "Collect a campaign's results; write report.html and plots");
  add_results_of(*report, arguments.collect.directory);
  report->add_flag("--strict", arguments.collect.strict, "write nothing unless every run is ok");
  CLI::App* diff = batch.add_subcommand("diff", "Print what differs between the results of two campaigns");
  diff->add_option("A", arguments.diff.a, "a campaign's results, or the results.sqlite of one")->required();
  diff->add_option("B", arguments.diff.b, "another")->required();
  diff->add_option("--tolerance", arguments.diff.tolerance,
                   "values may differ by this share of the larger (default: 0)")
      ->check(CLI::Range(0.0, 1.0));
  diff->add_flag("--json", arguments.diff.json, "print one JSON object and nothing else");
  diff->footer("Exit codes: 0 nothing differs, 1 something differs, 2 bad usage or input.");
  CLI::App* gc = batch.add_subcommand("gc", "Remove runs that a campaign does not name any more");
  add_results_of(*gc, arguments.gc.directory);
  gc->add_flag("--dry-run", arguments.gc.dry_run, "only print what would go");
}

int run_on_backend(const Campaign& campaign, const BatchOptions& options) {
  return campaign.on_slurm ? batch_submit(campaign, options) : batch_run(campaign, options);
}

// What is written down is where it runs, so that it goes on there.
int start(const BatchArguments& arguments, const BatchOptions& options, const std::string& backend) {
  std::vector<std::string> sets = arguments.plan.sets;
  sets.push_back("backend=" + backend);
  return run_on_backend(load_campaign(arguments.plan.campaign, sets), options);
}

int resume(const BatchArguments& arguments, BatchOptions options) {
  std::vector<std::string> sets;
  if (!arguments.backend.empty()) sets.push_back("backend=" + arguments.backend);
  options.resume = true;
  return run_on_backend(load_kept_campaign(options.directory, sets), options);
}

}  // namespace

void add_batch(CLI::App& app, BatchArguments& arguments) {
  CLI::App* verb = app.add_subcommand("batch", "Run a campaign: one experiment over the product of its axes");
  verb->require_subcommand(1);
  verb->fallthrough();
  add_plan(*verb, arguments.plan);
  add_runs(*verb, arguments);
  add_results(*verb, arguments);
}

int run_batch_verb(const CLI::App& verb, const BatchArguments& arguments,
                   const std::vector<std::string>& argv) {
  BatchOptions options = arguments.batch;
  options.argv = argv;
  if (verb.got_subcommand("plan")) return batch_plan_command(arguments.plan);
  if (verb.got_subcommand("status")) return batch_status(options);
  if (verb.got_subcommand("collect")) return batch_collect(arguments.collect);
  if (verb.got_subcommand("report")) return batch_report(arguments.collect);
  if (verb.got_subcommand("diff")) return batch_diff(arguments.diff);
  if (verb.got_subcommand("gc")) return batch_gc(arguments.gc);
  if (verb.got_subcommand("task")) return batch_task(arguments.submission, arguments.chunk, options);
  if (verb.got_subcommand("resume")) return resume(arguments, options);
  return start(arguments, options, verb.got_subcommand("submit") ? "slurm" : "local");
}

}  // namespace heddle
