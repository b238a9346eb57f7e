#include <fmt/format.h>

#include <iostream>

#include "platforms/campaign/backends/slurm_task.h"
#include "platforms/cli/batch/campaign_console.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchTaskOptions {
  std::string submission;
  std::uint64_t chunk = 0;
  BackendOptions backend;
  bool quiet = false;
};

void declare_batch_task(CommandLine& verb, BatchTaskOptions& options) {
  verb.add_option("submission", options.submission, "DIRECTORY/submissions/NUMBER").required();
  verb.add_option("chunk", options.chunk, "which, from 0").required().check(check_count);
  add_jobs_option(verb, options.backend.jobs, "runs at a time (default: one per core)");
  add_threads_option(verb, options.backend.threads,
                     "most threads of one run: the last runs share the cores that are free (default: 1)");
  add_trust_flag(verb, options.backend.trust);
  add_quiet_flag(verb, options.quiet, "no progress");
}

int run_chunk(const BatchTaskOptions& options, const Words& argv) {
  BackendOptions backend = options.backend;
  backend.argv = argv;
  TaskOutcome outcome;
  {
    ConsoleProgress progress(options.quiet);
    outcome = run_task(options.submission, options.chunk, backend, progress);
  }
  const int code = report_work(outcome.work);
  std::cout << fmt::format("chunk {}: {} runs, {} ok, {} not", options.chunk, outcome.runs, outcome.ok,
                           outcome.runs - outcome.ok)
            << std::endl;
  if (code != 0) return code;
  return outcome.ok == outcome.runs ? 0 : kExitFailed;
}

const VerbRegistration kBatchTask("batch task", 60, "Run one chunk of a submission: for its task script",
                                  declare_batch_task, run_chunk);

}  // namespace

}  // namespace heddle
