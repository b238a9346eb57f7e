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

void add_report(CLI::App& batch, BatchReportOptions& options) {
  CLI::App* verb = batch.add_subcommand("report", "Write a campaign's report.html and plots");
  verb->add_option("directory", options.directory, "the campaign's results")->required();
  verb->add_flag("--strict", options.strict, "refuse a campaign of which not every run went well");
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
  CLI::App* submit = verb->add_subcommand("submit", "Give what a campaign does not have yet to Slurm");
  add_campaign(*submit, options);
  submit->add_option("--dir", batch.directory, "the campaign's results (default: results/campaigns/NAME)");
  submit->footer("Example:\n  heddle batch submit schedulers-by-sms --set slurm.partition=short");
  CLI::App* task = verb->add_subcommand("task", "Run one chunk of a submission: for its task script");
  task->add_option("submission", arguments.submission, "DIRECTORY/submissions/NUMBER")->required();
  task->add_option("chunk", arguments.chunk, "which, from 0")->required()->check(check_count);
  add_running(*task, batch);
  CLI::App* resume = verb->add_subcommand("resume", "Run what a campaign does not have yet, or what failed");
  resume->add_option("directory", batch.directory, "the campaign's results")->required();
  resume->add_option("--backend", arguments.backend, "where (default: where it ran last)")
      ->check(CLI::IsMember({"local", "slurm"}));
  add_running(*resume, batch);
  CLI::App* status = verb->add_subcommand("status", "Print how far a campaign is, and what failed");
  status->add_option("directory", batch.directory, "the campaign's results")->required();
  status->add_flag("--json", batch.json, "print one JSON object and nothing else");
  add_report(*verb, arguments.report);
  CLI::App* plan = verb->add_subcommand("plan", "Validate a campaign; print its points and run nothing");
  add_campaign(*plan, options);
  plan->add_flag("--all", options.all, "print every point, however many");
  plan->add_flag("--json", options.json, "print the campaign with all its points as one JSON object");
  plan->footer("Example:\n  heddle batch plan schedulers-by-sms --set limits.time=10s");
}

int run_batch_verb(const CLI::App& verb, const BatchArguments& arguments,
                   const std::vector<std::string>& argv) {
  if (verb.got_subcommand("report")) batch_report(arguments.report);
  BatchOptions options = arguments.batch;
  options.argv = argv;
  if (verb.got_subcommand("plan")) return batch_plan_command(arguments.plan);
  if (verb.got_subcommand("status")) return batch_status(options);
  if (verb.got_subcommand("task")) return batch_task(arguments.submission, arguments.chunk, options);
  if (verb.got_subcommand("resume")) return resume(arguments, options);
  return start(arguments, options, verb.got_subcommand("submit") ? "slurm" : "local");
}

}  // namespace heddle
