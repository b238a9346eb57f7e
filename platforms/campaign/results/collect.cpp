#include "platforms/campaign/results/collect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "platforms/campaign/results/database.h"
#include "platforms/campaign/results/run_tables.h"
#include "platforms/campaign/results/samples.h"
#include "platforms/campaign/results/tables.h"
#include "platforms/run/output.h"

namespace heddle {

namespace {

void write(const Results& results, const std::string& directory, const Collection& collection) {
  ResultFile database_file(collection.database_file, Existing::kOwned);
  ResultFile csv_file(collection.csv_file, Existing::kOwned);
  std::string csv;
  try {
    Database database = Database::make(database_file.draft());
    write_tables(results, database);
    write_run_tables(results, directory, database);
    csv = csv_of(database, view_of(results.campaign.name));
  } catch (const DatabaseError& error) {
    throw OutputError(fmt::format("cannot write {}: {}", collection.database_file, error.what()));
  }
  write_file(csv_file.draft(), csv);
  database_file.finish();
  csv_file.finish();
}

}  // namespace

std::size_t Collection::ok() const {
  const auto found = states.find(RunState::kOk);
  return found == states.end() ? 0 : found->second;
}

std::string Collection::missing() const {
  std::vector<std::string> parts;
  for (const auto& [state, count] : states)
    if (state != RunState::kOk) parts.push_back(fmt::format("{} {}", count, name_of(state)));
  return fmt::format("partial: {} of {} runs ok; missing: {}", ok(), runs, fmt::join(parts, ", "));
}

Collection collect_results(const std::string& directory, bool strict) {
  const Results results = read_results(directory);
  Collection collection;
  collection.campaign = results.campaign.name;
  collection.points = results.points.size();
  collection.runs = results.runs.size();
  collection.states = results.states();
  collection.samples = results.samples.size();
  collection.complete = static_cast<std::size_t>(std::count_if(
      results.samples.begin(), results.samples.end(), [](const Sample& sample) { return sample.complete; }));
  if (collection.is_partial() && strict)
    throw OutputError(fmt::format("{}: {}; nothing was written", directory, collection.missing()));
  collection.database_file = directory + "/results.sqlite";
  collection.csv_file = directory + "/results.csv";
  write(results, directory, collection);
  return collection;
}

}  // namespace heddle
