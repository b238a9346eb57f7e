#pragma once
// Which cells of a row are the time, the lengths and the names of a request.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platforms/import/arrivals/arrival_options.h"
#include "platforms/import/arrivals/row_reader.h"
#include "platforms/import/arrivals/trace_format.h"

namespace heddle::imported {

struct RequestColumns {
  struct Parameter {
    std::size_t cell = 0;
    std::string name;        // in the file of arrivals
    std::string source;      // in the trace
    bool is_length = false;  // 0 or more
  };

  std::size_t time = 0;
  TimeUnit unit = TimeUnit::kS;
  std::optional<std::size_t> duration;
  std::vector<Parameter> parameters;
  std::optional<std::size_t> failed;
  std::optional<std::size_t> model;
  std::optional<std::size_t> function;
  std::optional<std::size_t> app;
  std::vector<std::string> left_out;  // columns of a table that are no numbers
};

// Returns the columns of a public format. Throws config::Error for a column that is not there.
RequestColumns columns_of(const TraceFormat& format, const RowReader& rows);

// Returns the column of times of another table: the one that the options name; otherwise the only one, or the
// one that is called time, timestamp, arrival or arrival_time, with or without a unit behind it as in
// "time [ms]" or "time_ms". Throws config::Error if there is no such column, or if there are several.
std::size_t time_column_of(const RowReader& rows, const ArrivalOptions& options);

// Returns the columns of such a table, whose first row is `first`. The columns whose first cell is a number
// are parameters. Throws config::Error if the times have no unit and are no dates.
RequestColumns columns_of_table(const RowReader& rows, std::size_t time, const Cells& first,
                                const ArrivalOptions& options);

}  // namespace heddle::imported
