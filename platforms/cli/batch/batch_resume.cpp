
#include "platforms/cli/batch/campaign_console.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchResumeOptions {
  BackendOptions backend;
  std::string where;  // local or slurm; empty: the backend of the last run
  bool quiet = false;
};

void declare_batch_resume(CommandLine& verb, BatchResumeOptions& options) {
  add_results_option(verb, options.backend.directory);
  verb.add_option("--backend", options.where, "where (default: where it ran last)")
      .one_of({"local", "slurm"});
  add_jobs_option(verb, options.backend.jobs, "runs at a time (default: one per core)");
  add_threads_option(verb, options.backend.threads,
                     "most threads of one run: the last runs share the cores that are free (default: 1)");
  add_trust_flag(verb, options.backend.trust);
  add_quiet_flag(verb, options.quiet, "no progress");
}

int resume_campaign(const BatchResumeOptions& options, const Words& argv) {
  std::vector<std::string> sets;
  if (!options.where.empty()) sets.push_back("backend=" + options.where);
  BackendOptions backend = options.backend;
  backend.resume = true;
  backend.argv = argv;
  Campaign campaign = load_kept_campaign(backend.directory, sets);
  campaign.trusted = backend.trust;
  if (campaign.on_slurm) return submit_on_console(campaign, backend);
  return run_on_console(campaign, backend, options.quiet);
}

const VerbRegistration kBatchResume("batch resume", 40,
                                    "Run what a campaign does not have yet, or what failed",
                                    declare_batch_resume, resume_campaign);

}  // namespace

}  // namespace heddle
