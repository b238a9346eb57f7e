#include <CLI/CLI.hpp>

#include "platforms/campaign/backends/campaign_driver.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchSubmitOptions {
  std::string campaign;
  std::vector<std::string> sets;
  BatchOptions batch;
};

void declare_batch_submit(CLI::App& verb, BatchSubmitOptions& options) {
  add_campaign_options(verb, options.campaign, options.sets);
  verb.add_option("--dir", options.batch.directory,
                  "the campaign's results (default: results/campaigns/NAME)");
  verb.footer("Example:\n  heddle batch submit schedulers-by-sms --set slurm.partition=short");
}

// The backend is written into the campaign that is kept, so that `batch resume` uses it again.
int submit_to_slurm(const BatchSubmitOptions& options, const Words& argv) {
  std::vector<std::string> sets = options.sets;
  sets.push_back("backend=slurm");
  BatchOptions batch = options.batch;
  batch.argv = argv;
  return batch_submit(load_campaign(options.campaign, sets), batch);
}

const VerbRegistration kBatchSubmit("batch submit", 30, "Give what a campaign does not have yet to Slurm",
                                    declare_batch_submit, submit_to_slurm);

}  // namespace

}  // namespace heddle
