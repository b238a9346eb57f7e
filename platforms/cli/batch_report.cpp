#include <CLI/CLI.hpp>

#include "platforms/campaign/results/results.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

void declare_batch_report(CLI::App& verb, CollectOptions& options) {
  add_results_option(verb, options.directory);
  verb.add_flag("--strict", options.strict, "write nothing unless every run is ok");
}

const VerbRegistration kBatchReport("batch report", 80,
                                    "Collect a campaign's results; write report.html and plots",
                                    declare_batch_report, batch_report);

}  // namespace

}  // namespace heddle
