#include <CLI/CLI.hpp>

#include "platforms/campaign/backends/campaign_driver.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchStatusOptions {
  std::string directory;
  bool json = false;
};

void declare_batch_status(CLI::App& verb, BatchStatusOptions& options) {
  add_results_option(verb, options.directory);
  add_json_flag(verb, options.json, "one JSON object and nothing else");
}

int show_status(const BatchStatusOptions& options) {
  BatchOptions batch;
  batch.directory = options.directory;
  batch.json = options.json;
  return batch_status(batch);
}

const VerbRegistration kBatchStatus("batch status", 50, "Print how far a campaign is, and what failed",
                                    declare_batch_status, show_status);

}  // namespace

}  // namespace heddle
