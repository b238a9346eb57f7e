#pragma once
// A public trace of requests becomes a table of arrivals: stimuli/APPLICATIONS.md, "Requests of a trace".

#include <optional>
#include <string>
#include <vector>

#include "models/host/requests/request_spec.h"
#include "platforms/import/arrivals/arrival_options.h"
#include "platforms/import/arrivals/request_trace.h"

namespace heddle::imported {

struct ArrivalImport {
  std::string format;
  ArrivalTable table;      // times count from the start of the window, or else from the first request
  std::uint64_t read = 0;  // requests in the file
  LeftOut left_out;
  std::string first_date;          // of the first request in the file; empty: it has no dates
  std::uint64_t out_of_order = 0;  // requests that stood behind a later one
  std::vector<std::string> columns_left_out;
};

// Reads a file. Throws config::Error, with file and line where there is one, for a file that cannot be read
// or is damaged, and for options that do not suit its format.
ArrivalImport import_arrivals(const std::string& file, const ArrivalOptions& options);

}  // namespace heddle::imported
