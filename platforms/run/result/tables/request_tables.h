#pragma once
// What became of the requests of servers, for the console.

#include <ostream>
#include <string>
#include <vector>

#include "models/stats/writers.h"
#include "platforms/run/result/summary.h"

namespace heddle {

inline constexpr Table::Align kRight = Table::Align::kRight;

std::string ratio_text(std::optional<double> value);  // "1.250"; a dash if there is none
// Appends mean, percentiles and maximum in a unit of so many picoseconds. A percentile has its confidence
// interval, or says how many samples it needs.
void add_times(std::vector<std::string>& cells, const TimeSummary& times, double unit_ps);
// Returns the columns with those of add_times() behind them.
std::vector<Table::Column> with_times(std::vector<Table::Column> columns);

// Prints what became of the measured requests of the servers.
void print_requests(const Summary& summary, std::ostream& out);
// Prints how long the responses took.
void print_responses(const Summary& summary, std::ostream& out);
// Prints the times of tokens of the servers that generate them, and how full their steps were. Nothing if no
// server does.
void print_tokens(const Summary& summary, std::ostream& out);

}  // namespace heddle
