#include <CLI/CLI.hpp>

#include "platforms/campaign/results/results.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

void declare_batch_collect(CLI::App& verb, CollectOptions& options) {
  add_results_option(verb, options.directory);
  verb.add_flag("--strict", options.strict, "write nothing unless every run is ok");
  add_json_flag(verb, options.json, "one JSON object and nothing else");
  add_quiet_flag(verb, options.quiet, "print nothing");
}

const VerbRegistration kBatchCollect("batch collect", 70, "Write a campaign's results as SQLite and CSV",
                                     declare_batch_collect, batch_collect);

}  // namespace

}  // namespace heddle
