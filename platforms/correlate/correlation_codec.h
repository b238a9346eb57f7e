#pragma once
// These functions write the result of a correlation as JSON, as CSV and as tables.

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

#include "platforms/correlate/correlation.h"

namespace heddle::correlate {

constexpr const char* kCorrelationSchema = "heddle-correlation-1";

nlohmann::ordered_json to_json(const Correlation& correlation);

// Writes a row for each pair, and one for each of its windows.
void write_correlation_csv(const Correlation& correlation, std::ostream& out);

// Prints the pairs, how many of them agree, and the coverage of both sides.
void print_correlation(const Correlation& correlation, std::ostream& out);

}  // namespace heddle::correlate
