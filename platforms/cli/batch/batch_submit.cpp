
#include "platforms/cli/batch/campaign_console.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchSubmitOptions {
  std::string campaign;
  std::vector<std::string> sets;
  BackendOptions backend;
};

void declare_batch_submit(CommandLine& verb, BatchSubmitOptions& options) {
  add_campaign_options(verb, options.campaign, options.sets);
  verb.add_option("--dir", options.backend.directory,
                  "the campaign's results (default: results/campaigns/NAME)");
  add_trust_flag(verb, options.backend.trust);
  verb.footer("Example:\n  heddle batch submit schedulers-by-sms --set slurm.partition=short");
}

// The backend is written into the campaign that is kept, so that `batch resume` uses it again.
int submit_to_slurm(const BatchSubmitOptions& options, const Words& argv) {
  std::vector<std::string> sets = options.sets;
  sets.emplace_back("backend=slurm");
  BackendOptions backend = options.backend;
  backend.argv = argv;
  Campaign campaign = load_campaign(options.campaign, sets);
  campaign.trusted = backend.trust;
  return submit_on_console(campaign, backend);
}

const VerbRegistration kBatchSubmit("batch submit", 30, "Give what a campaign does not have yet to Slurm",
                                    declare_batch_submit, submit_to_slurm);

}  // namespace

}  // namespace heddle
