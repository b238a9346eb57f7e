#pragma once
// The request for a series: which statistics are sampled during a run, and how often; see
// models/stats/series.h.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct SeriesRequest {
  std::uint64_t cycles = 0;  // core cycles of an interval, or 0
  std::uint64_t ps = 0;      // the time of an interval if `cycles` is 0; both 0: nothing is sampled
  std::vector<std::string> patterns;

  bool is_wanted() const { return cycles != 0 || ps != 0; }
};

// Sets the interval of a request from a text such as 1000cycles or 10us. Returns what is wrong with the text,
// worded to follow it, or nothing.
std::string set_interval(SeriesRequest& request, const std::string& text);

// The patterns of a request that names none. Those of them are sampled that match a statistic of the machine.
const std::vector<std::string>& default_series();

}  // namespace heddle
