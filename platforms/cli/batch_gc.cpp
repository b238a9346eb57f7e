#include <CLI/CLI.hpp>

#include "platforms/campaign/results/results.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

void declare_batch_gc(CLI::App& verb, GcOptions& options) {
  add_results_option(verb, options.directory);
  verb.add_flag("--dry-run", options.dry_run, "only print what would go");
}

const VerbRegistration kBatchGc("batch gc", 100, "Remove runs that a campaign does not name any more",
                                declare_batch_gc, batch_gc);

}  // namespace

}  // namespace heddle
