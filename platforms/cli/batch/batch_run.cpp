
#include "platforms/cli/batch/campaign_console.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchRunOptions {
  std::string campaign;
  std::vector<std::string> sets;
  BackendOptions backend;
  bool quiet = false;
};

void declare_batch_run(CommandLine& verb, BatchRunOptions& options) {
  add_campaign_options(verb, options.campaign, options.sets);
  verb.add_option("--dir", options.backend.directory,
                  "the campaign's results (default: results/campaigns/NAME)");
  add_jobs_option(verb, options.backend.jobs, "runs at a time (default: one per core)");
  add_threads_option(verb, options.backend.threads,
                     "most threads of one run: the last runs share the cores that are free (default: 1)");
  add_trust_flag(verb, options.backend.trust);
  add_quiet_flag(verb, options.quiet, "no progress");
  verb.footer("Example:\n  heddle batch run schedulers-by-sms --jobs 2");
}

// The backend is written into the campaign that is kept, so that `batch resume` uses it again.
int run_locally(const BatchRunOptions& options, const Words& argv) {
  std::vector<std::string> sets = options.sets;
  sets.emplace_back("backend=local");
  BackendOptions backend = options.backend;
  backend.argv = argv;
  Campaign campaign = load_campaign(options.campaign, sets);
  campaign.trusted = backend.trust;
  return run_on_console(campaign, backend, options.quiet);
}

const VerbRegistration kBatchRun("batch run", 20, "Run what a campaign does not have yet", declare_batch_run,
                                 run_locally);

}  // namespace

}  // namespace heddle
