#pragma once
// A campaign's results as files: results.sqlite, of the schema in tables.h, and results.csv, its view.

#include <cstddef>
#include <map>
#include <string>

#include "platforms/campaign/store/run_store.h"

namespace heddle {

struct Collection {
  std::string campaign;
  std::size_t points = 0;
  std::size_t runs = 0;
  std::map<RunState, std::size_t> states;  // of the runs
  std::size_t samples = 0;
  std::size_t complete = 0;  // samples with all numbers
  std::string database_file;
  std::string csv_file;

  std::size_t ok() const;  // runs
  bool is_partial() const { return ok() < runs; }
  std::string missing() const;  // "partial: 37 of 40 runs ok; missing: 2 failed, 1 timeout"
};

// Writes both files into the campaign's directory from the runs that are ok; other runs may still be in
// progress. `strict` asks for all runs. Throws config::Error if there is no campaign or a file of it is
// damaged, OutputError if a file cannot be written or a strict collection lacks a run; then neither file is
// changed.
Collection collect_results(const std::string& directory, bool strict);

}  // namespace heddle
