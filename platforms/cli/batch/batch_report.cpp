
#include "platforms/campaign/results/report.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchReportOptions {
  std::string directory;
  bool strict = false;  // no report unless every run is ok
};

void declare_batch_report(CommandLine& verb, BatchReportOptions& options) {
  add_results_option(verb, options.directory);
  verb.add_flag("--strict", options.strict, "write nothing unless every run is ok");
}

int report_campaign(const BatchReportOptions& options) {
  return write_report(options.directory, options.strict);
}

const VerbRegistration kBatchReport("batch report", 80,
                                    "Collect a campaign's results; write report.html and plots",
                                    declare_batch_report, report_campaign);

}  // namespace

}  // namespace heddle
