#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "platforms/campaign/results/collect.h"
#include "platforms/cli/options.h"
#include "platforms/cli/print_json.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchCollectOptions {
  std::string directory;
  bool strict = false;  // all runs, or nothing
  bool json = false;
  bool quiet = false;
};

void declare_batch_collect(CommandLine& verb, BatchCollectOptions& options) {
  add_results_option(verb, options.directory);
  verb.add_flag("--strict", options.strict, "write nothing unless every run is ok");
  add_json_flag(verb, options.json, "one JSON object and nothing else");
  add_quiet_flag(verb, options.quiet, "print nothing");
}

nlohmann::ordered_json collection_json(const Collection& collection) {
  nlohmann::ordered_json json{{"schema", "heddle-collect-1"},
                              {"campaign", collection.campaign},
                              {"points", collection.points},
                              {"runs", collection.runs},
                              {"runs_ok", collection.ok()},
                              {"partial", collection.is_partial()},
                              {"states", nlohmann::ordered_json::object()},
                              {"samples", collection.samples},
                              {"complete", collection.complete},
                              {"files", {collection.database_file, collection.csv_file}}};
  for (const auto& [state, runs] : collection.states) json["states"][name_of(state)] = runs;
  return json;
}

int collect_campaign(const BatchCollectOptions& options) {
  const Collection collection = collect_results(options.directory, options.strict);
  if (options.json) {
    print_json(collection_json(collection));
  } else if (!options.quiet) {
    if (collection.is_partial()) std::cout << collection.missing() << "\n";
    std::cout << fmt::format("{}: {} samples, {} complete; {} and {}\n", collection.campaign,
                             collection.samples, collection.complete, collection.database_file,
                             collection.csv_file);
  }
  return 0;
}

const VerbRegistration kBatchCollect("batch collect", 70, "Write a campaign's results as SQLite and CSV",
                                     declare_batch_collect, collect_campaign);

}  // namespace

}  // namespace heddle
