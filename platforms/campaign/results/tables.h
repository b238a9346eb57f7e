#pragma once
// Results as a database. platforms/CAMPAIGNS.md documents its schema, heddle-results-1.

#include <string>

#include "platforms/campaign/results/database.h"
#include "platforms/campaign/results/samples.h"

namespace heddle {

constexpr const char* kResultsSchema = "heddle-results-1";

// Writes into an empty database. The tables of run_tables.h are no part of it. Equal campaigns on different
// hosts differ in the table `provenance` alone.
void write_tables(const Results& results, Database& database);

// Returns the name of the view that has a row for each sample: the campaign's name, or results_CAMPAIGN if
// SQLite or another table uses that name.
std::string view_of(const std::string& campaign);

// Returns a table or view as CSV with a line of column names. A real number is written as the shortest text
// that reads back as the same number.
std::string csv_of(Database& database, const std::string& table);

}  // namespace heddle
