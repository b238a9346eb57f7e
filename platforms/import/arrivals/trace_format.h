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
  // The columns that have a number of tokens or images, which is 0 or more, each with the name that it gets
  // in the file of arrivals. A file may lack those of them that are not among `columns`.
  std::vector<std::pair<std::string, std::string>> lengths;
  std::string failed;  // a request failed whose length here is 0
  std::string model;
  std::string function;
  std::string app;          // functions have a name within it
  bool has_counts = false;  // a row has the number of requests in each minute
};

// The public formats, in the order in which they are tried.
const std::vector<TraceFormat>& trace_formats();

// This is the name of the format of all other tables. Such a table has one column of arrival times, and its
// other columns are numbers.
constexpr const char* kTableFormat = "table";

// Returns the names of all formats, "table" among them.
std::vector<std::string> trace_format_names();

// Returns the first public format of which every telling column is among `names`, the columns of a file. The
// result is null if there is no such format.
const TraceFormat* recognise_format(const std::vector<std::string>& names);

// Returns the formats with their columns, for messages and help: "azure-llm (TIMESTAMP, ...)".
std::vector<std::string> described_formats();

}  // namespace heddle::imported
