#pragma once
// The format of a file with counters of an RTL simulation.

#include <string>
#include <string_view>
#include <vector>

namespace heddle::correlate {

// Returns the formats that --format has: vcd, fst, csv, autocounter, ncu, nvprof.
const std::vector<std::string>& rtl_formats();

// Returns the format of a file that starts with this text. What has no mark of another format is csv.
std::string rtl_format(std::string_view start);

}  // namespace heddle::correlate
