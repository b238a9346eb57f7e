#include <CLI/CLI.hpp>

#include "platforms/campaign/backends/campaign_driver.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchResumeOptions {
  BatchOptions batch;
  std::string backend;  // local or slurm; empty: the one of the last run
};

void declare_batch_resume(CLI::App& verb, BatchResumeOptions& options) {
  add_results_option(verb, options.batch.directory);
  verb.add_option("--backend", options.backend, "where (default: where it ran last)")
      ->check(CLI::IsMember({"local", "slurm"}));
  add_jobs_option(verb, options.batch.jobs, "runs at a time (default: one per core)");
  add_quiet_flag(verb, options.batch.quiet, "no progress");
}

int resume_campaign(const BatchResumeOptions& options, const Words& argv) {
  std::vector<std::string> sets;
  if (!options.backend.empty()) sets.push_back("backend=" + options.backend);
  BatchOptions batch = options.batch;
  batch.resume = true;
  batch.argv = argv;
  const Campaign campaign = load_kept_campaign(batch.directory, sets);
  return campaign.on_slurm ? batch_submit(campaign, batch) : batch_run(campaign, batch);
}

const VerbRegistration kBatchResume("batch resume", 40,
                                    "Run what a campaign does not have yet, or what failed",
                                    declare_batch_resume, resume_campaign);

}  // namespace

}  // namespace heddle
