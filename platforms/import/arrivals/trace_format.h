#pragma once
// The formats of public traces of requests, as data: the columns that tell a format, and what each one means.

#include <string>
#include <utility>
#include <vector>

#include "platforms/import/arrivals/time_text.h"

namespace heddle::imported {

struct TraceFormat {
  std::string name;                  // for --format
  std::string what;                  // in a few words
  std::vector<std::string> columns;  // that a file of this format has, apart from others
  std::string time;                  // the column of arrivals, or of ends
  TimeUnit unit = TimeUnit::kS;
  std::string duration;  // in seconds; an arrival is the time less the duration
  // Columns of lengths, which are 0 or more, and their names in the file of arrivals. One that is not among
  // `columns` may be absent.
  std::vector<std::pair<std::string, std::string>> lengths;
  std::string failed;  // a request failed whose length here is 0
  std::string model;
  std::string function;
  std::string app;          // functions have a name within it
  bool has_counts = false;  // a row has the number of requests in each minute
};

// The public formats, in the order in which they are tried.
const std::vector<TraceFormat>& trace_formats();

// The name of the format of any other table: one column of times, and other columns that are numbers.
constexpr const char* kTableFormat = "table";

// Returns the names of all formats, "table" among them.
std::vector<std::string> trace_format_names();

// Returns the first format whose columns are among `names`, or null.
const TraceFormat* recognise_format(const std::vector<std::string>& names);

// Returns the formats with their columns, for messages and help: "azure-llm (TIMESTAMP, ...)".
std::vector<std::string> described_formats();

}  // namespace heddle::imported
