#pragma once
// The tables of results.sqlite that come from files of the runs: `kernels` from kernels.csv, `requests` from
// requests.csv, and the tables of the view `series` from series.csv. platforms/CAMPAIGNS.md documents them.
//
// A series has one row for each value, and not a column for each statistic: the statistics of two machines
// differ, SQLite allows 2000 columns, and a query selects paths by a pattern. A row is a value and its
// number, from which series_columns and series_intervals tell run, path, cycle and time; so it takes about 13
// bytes. The values of one statistic of one run lie side by side.

#include <string>

#include "platforms/campaign/results/database.h"
#include "platforms/campaign/results/samples.h"

namespace heddle {

// Adds the tables, with the rows of each run that is ok and has such a file. One run's series at a time is in
// memory. `directory` is the campaign's. Throws config::Error if a file is damaged.
void write_run_tables(const Results& results, const std::string& directory, Database& database);

// Whether one of these tables or views has the name, given in small letters.
bool is_run_table(const std::string& name);

}  // namespace heddle
