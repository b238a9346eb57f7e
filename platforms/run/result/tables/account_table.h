#pragma once
// Where the time of requests goes, for the console.

#include <ostream>
#include <string>
#include <vector>

#include "platforms/run/result/summary.h"

namespace heddle {

// Returns what a part is, with its cause: "waits for a copy of lbm", "executes".
std::string words_of(const PartResult& part);

// Prints, for each server of each run, which parts of the response are how long, of all requests and of the
// slowest 1 %. Nothing if no request was served.
void print_accounts(const Summary& summary, std::ostream& out);

// Returns a sentence for each server and percentile of `qs` that says which runs do not differ in it, because
// their confidence intervals overlap. None where fewer than two runs have an interval.
std::vector<std::string> equal_percentiles(const Summary& summary, const std::vector<double>& qs);

}  // namespace heddle
