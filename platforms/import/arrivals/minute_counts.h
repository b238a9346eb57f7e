#pragma once
// Traces with a row for each function, and the number of its invocations in each minute.

#include <string>

#include "platforms/import/arrivals/request_trace.h"
#include "platforms/import/arrivals/row_reader.h"
#include "platforms/import/arrivals/trace_format.h"

namespace heddle::imported {

// Sums the counts of the function that the options name, or of all, and adds a request for each invocation in
// the order of time. The n invocations of a minute are put into the middle of n equal parts of it, or at
// uniform times that follow from the seed. `first` is the row before those that the reader has left. Throws
// config::Error for a count that is no whole number or above 10^9, for a function that is not there, and for
// more than 10^10 invocations.
void read_minute_counts(RowReader& rows, const Cells& first, const TraceFormat& format,
                        const std::string& file, const ArrivalOptions& options, RequestTrace& trace);

}  // namespace heddle::imported
