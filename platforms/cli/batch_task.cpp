#include <CLI/CLI.hpp>

#include "platforms/campaign/backends/campaign_driver.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchTaskOptions {
  std::string submission;
  std::uint64_t chunk = 0;
  BatchOptions batch;
};

void declare_batch_task(CLI::App& verb, BatchTaskOptions& options) {
  verb.add_option("submission", options.submission, "DIRECTORY/submissions/NUMBER")->required();
  verb.add_option("chunk", options.chunk, "which, from 0")->required()->check(check_count);
  add_jobs_option(verb, options.batch.jobs, "runs at a time (default: one per core)");
  add_quiet_flag(verb, options.batch.quiet, "no progress");
}

int run_task(const BatchTaskOptions& options, const Words& argv) {
  BatchOptions batch = options.batch;
  batch.argv = argv;
  return batch_task(options.submission, options.chunk, batch);
}

const VerbRegistration kBatchTask("batch task", 60, "Run one chunk of a submission: for its task script",
                                  declare_batch_task, run_task);

}  // namespace

}  // namespace heddle
