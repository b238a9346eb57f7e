#pragma once
// Traces with a row for each request.

#include <string>

#include "platforms/import/arrivals/request_columns.h"
#include "platforms/import/arrivals/request_trace.h"

namespace heddle::imported {

// Returns whether the options want the requests of a function, which has a name within an app.
bool is_wanted_function(const std::string& wanted, std::string_view app, std::string_view function);

// Adds the requests of all rows to the trace, `first` before those that the reader has left. Throws
// config::Error for a cell that is no number or negative, and for a model or a function of which there is no
// request.
void read_requests(RowReader& rows, const Cells& first, const RequestColumns& columns,
                   const std::string& file, const ArrivalOptions& options, RequestTrace& trace);

}  // namespace heddle::imported
