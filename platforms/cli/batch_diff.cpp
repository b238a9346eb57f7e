#include <CLI/CLI.hpp>

#include "platforms/campaign/results/results.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

void declare_batch_diff(CLI::App& verb, DiffOptions& options) {
  verb.add_option("A", options.a, "a campaign's results, or the results.sqlite of one")->required();
  verb.add_option("B", options.b, "another")->required();
  verb.add_option("--tolerance", options.tolerance,
                  "values may differ by this share of the larger (default: 0)")
      ->check(CLI::Range(0.0, 1.0));
  add_json_flag(verb, options.json, "one JSON object and nothing else");
  verb.footer("Exit codes: 0 nothing differs, 1 something differs, 2 bad usage or input.");
}

const VerbRegistration kBatchDiff("batch diff", 90, "Print what differs between the results of two campaigns",
                                  declare_batch_diff, batch_diff);

}  // namespace

}  // namespace heddle
