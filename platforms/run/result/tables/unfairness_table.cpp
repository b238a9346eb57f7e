#include "platforms/run/result/tables/unfairness_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

std::string cell(std::optional<double> value) {
  return value ? fmt::format(",{}", *value) : ",";
}

}  // namespace

std::string unfairness_csv(const RunMeasures& measures) {
  const Unfairness& unfairness = *measures.unfairness;
  std::string csv = "begin [ps],end [ps],unfairness";
  for (std::size_t i = 0; i < measures.run.applications.size(); ++i) csv += fmt::format(",slowdown.{}", i);
  csv += '\n';
  for (std::size_t window = 0; window < unfairness.windows.size(); ++window) {
    const std::uint64_t begin_ps = window * unfairness.window_ps;
    csv +=
        fmt::format("{},{}", begin_ps, std::min(begin_ps + unfairness.window_ps, measures.run.simulated_ps));
    csv += cell(unfairness.windows[window]);
    for (const std::optional<double>& slowdown : unfairness.slowdowns[window]) csv += cell(slowdown);
    csv += '\n';
  }
  return csv;
}

}  // namespace heddle
