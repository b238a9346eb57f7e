// Results of a campaign as files.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "platforms/campaign/results/database.h"
#include "platforms/campaign/results/results.h"
#include "platforms/campaign/results/samples.h"
#include "platforms/campaign/results/tables.h"
#include "platforms/run/output.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;
using States = std::map<RunState, std::size_t>;

std::size_t well(const States& states) {
  const auto ok = states.find(RunState::kOk);
  return ok == states.end() ? 0 : ok->second;
}

// "partial: 37 of 40 runs ok; missing: 2 failed, 1 timeout"
std::string missing(const Results& results, const States& states) {
  std::vector<std::string> parts;
  for (const auto& [state, runs] : states)
    if (state != RunState::kOk) parts.push_back(fmt::format("{} {}", runs, name_of(state)));
  return fmt::format("partial: {} of {} runs ok; missing: {}", well(states), results.runs.size(),
                     fmt::join(parts, ", "));
}

void write(const Results& results, const std::string& database_file, const std::string& csv_file) {
  try {
    Database database;
    write_tables(results, database);
    const std::string csv = csv_of(database, view_of(results.campaign.name));
    replace_files({{database_file, database.bytes()}, {csv_file, csv}});
  } catch (const DatabaseError& error) {
    throw OutputError(fmt::format("cannot write {}: {}", database_file, error.what()));
  }
}

}  // namespace

int batch_collect(const CollectOptions& options) {
  const Results results = read_results(options.directory);
  const States states = results.states();
  const bool partial = well(states) < results.runs.size();
  if (partial && options.strict)
    throw OutputError(
        fmt::format("{}: {}; nothing was written", options.directory, missing(results, states)));
  const std::string database_file = options.directory + "/results.sqlite";
  const std::string csv_file = options.directory + "/results.csv";
  write(results, database_file, csv_file);

  const auto complete = static_cast<std::size_t>(std::count_if(
      results.samples.begin(), results.samples.end(), [](const Sample& sample) { return sample.complete; }));
  if (options.json) {
    Json json{{"schema", "heddle-collect-1"},
              {"campaign", results.campaign.name},
              {"points", results.points.size()},
              {"runs", results.runs.size()},
              {"runs_ok", well(states)},
              {"partial", partial},
              {"states", Json::object()},
              {"samples", results.samples.size()},
              {"complete", complete},
              {"files", {database_file, csv_file}}};
    for (const auto& [state, runs] : states) json["states"][name_of(state)] = runs;
    std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  } else if (!options.quiet) {
    if (partial) std::cout << missing(results, states) << "\n";
    std::cout << fmt::format("{}: {} samples, {} complete; {} and {}\n", results.campaign.name,
                             results.samples.size(), complete, database_file, csv_file);
  }
  return 0;
}

}  // namespace heddle
