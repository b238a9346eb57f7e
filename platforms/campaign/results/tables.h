#pragma once
// Results as a database of the schema heddle-results-1, which README's "Campaigns" documents.

#include <string>

#include "platforms/campaign/results/database.h"
#include "platforms/campaign/results/samples.h"

namespace heddle {

constexpr const char* kResultsSchema = "heddle-results-1";

// Into an empty database. What may differ between two campaigns that are alike lies in `provenance` alone.
void write_tables(const Results& results, Database& database);

// The view that has a row for each sample: named as the campaign, or results_CAMPAIGN where SQLite or another
// table has that name.
std::string view_of(const std::string& campaign);

// A table or view as CSV under its columns' names; a real number is the shortest text that reads back as it.
std::string csv_of(Database& database, const std::string& table);

}  // namespace heddle
