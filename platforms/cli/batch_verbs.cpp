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

void add_running(CLI::App& verb, BatchOptions& options) {
  verb.add_option("--jobs", options.jobs, "runs at a time (default: one per core)")->check(check_count);
  verb.add_flag("--quiet", options.quiet, "no progress");
}

void add_results(CLI::App& batch, BatchArguments& arguments) {
  CollectOptions& options = arguments.collect;
  CLI::App* collect = batch.add_subcommand("collect", "Write a campaign's results as SQLite and CSV");
  collect->add_option("directory", options.directory, "the campaign's results")->required();
  collect->add_flag("--strict", options.strict, "write nothing unless every run is ok");
  collect->add_flag("--json", options.json, "print one JSON object and nothing else");
  collect->add_flag("--quiet", options.quiet, "print nothing");
  CLI::App* diff = batch.add_subcommand("diff", "Print what differs between the results of two campaigns");
  diff->add_option("A", arguments.diff.a, "a campaign's results, or the results.sqlite of one")->required();
  diff->add_option("B", arguments.diff.b, "another")->required();
  diff->add_option("--tolerance", arguments.diff.tolerance,
                   "values may differ by this share of the larger (default: 0)")
      ->check(CLI::Range(0.0, 1.0));
  diff->add_flag("--json", arguments.diff.json, "print one JSON object and nothing else");
  diff->footer("Exit codes: 0 nothing differs, 1 something differs, 2 bad usage or input.");
  CLI::App* gc = batch.add_subcommand("gc", "Remove runs that a campaign does not name any more");
  gc->add_option("directory", arguments.gc.directory, "the campaign's results")->required();
  gc->add_flag("--dry-run", arguments.gc.dry_run, "only print what would go");
}

}  // namespace

void add_batch(CLI::App& app, BatchArguments& arguments) {
  BatchPlanOptions& options = arguments.plan;
  BatchOptions& batch = arguments.batch;
  CLI::App* verb = app.add_subcommand("batch", "Run a campaign: one experiment over the product of its axes");
  verb->require_subcommand(1);
  verb->fallthrough();
  CLI::App* run = verb->add_subcommand("run", "Run what a campaign does not have yet");
  add_campaign(*run, options);
  run->add_option("--dir", batch.directory, "the campaign's results (default: results/campaigns/NAME)");
  add_running(*run, batch);
  run->footer("Example:\n  heddle batch run schedulers-by-sms --jobs 2");
  CLI::App* resume = verb->add_subcommand("resume", "Run what a campaign does not have yet, or what failed");
  resume->add_option("directory", batch.directory, "the campaign's results")->required();
  add_running(*resume, batch);
  CLI::App* status = verb->add_subcommand("status", "Print how far a campaign is, and what failed");
  status->add_option("directory", batch.directory, "the campaign's results")->required();
  status->add_flag("--json", batch.json, "print one JSON object and nothing else");
  CLI::App* plan =
      verb->add_subcommand("plan", "Validate a campaign; print its points and what is left, and run nothing");
  add_campaign(*plan, options);
  plan->add_option("--dir", options.directory, "where its results are (default: results/campaigns/NAME)");
  plan->add_option("--jobs", options.jobs, "runs at a time, for the estimate (default: one per core)")
      ->check(check_count);
  plan->add_flag("--all", options.all, "print every point, however many");
  plan->add_flag("--json", options.json, "print the campaign with all its points as one JSON object");
  add_results(*verb, arguments);
  plan->footer("Example:\n  heddle batch plan schedulers-by-sms --set limits.time=10s");
}

int run_batch_verb(const CLI::App& verb, const BatchArguments& arguments,
                   const std::vector<std::string>& argv) {
  BatchOptions options = arguments.batch;
  options.argv = argv;
  if (verb.got_subcommand("plan")) return batch_plan_command(arguments.plan);
  if (verb.got_subcommand("status")) return batch_status(options);
  if (verb.got_subcommand("collect")) return batch_collect(arguments.collect);
  if (verb.got_subcommand("diff")) return batch_diff(arguments.diff);
  if (verb.got_subcommand("gc")) return batch_gc(arguments.gc);
  options.resume = verb.got_subcommand("resume");
  const BatchPlanOptions& from = arguments.plan;
  return batch_run(options.resume ? load_campaign(options.directory + "/campaign.yaml")
                                  : load_campaign(from.campaign, from.sets),
                   options);
}

}  // namespace heddle
