#pragma once
// The database that `nsys export --type sqlite` writes of a report of Nsight Systems. The tables and columns
// are those of its documentation, "SQLite Schema Reference": CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY and _MEMSET,
// with names in StringIds. Tables of which a report has no rows are absent.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/recorded/recorded_application.h"

namespace heddle::imported {

struct NsysOptions {
  std::optional<std::uint64_t> context;  // a report of several contexts needs the choice of one
  std::optional<std::uint64_t> process;  // and of a process, where two have contexts of this number
  std::uint64_t from_ps = 0;             // since the start of the context's first event
  std::uint64_t to_ps = ~std::uint64_t{0};
};

struct NsysRecord {
  RecordedApplication application;
  std::string source;              // the report, its process, context and GPU
  std::vector<std::string> notes;  // rows that are left out, and why
};

// Reads one context of a report, row by row in the order of their starts. Throws config::Error with the file,
// and the table and row where there is one: no database, no kernels, a missing table or column, a row that
// cannot be, several contexts and none chosen, whole graphs instead of their kernels.
NsysRecord read_nsys_report(const std::string& file, const NsysOptions& options);

}  // namespace heddle::imported
