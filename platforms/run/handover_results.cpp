#include "platforms/run/handover_results.h"

#include "platforms/run/time_summary.h"

namespace heddle {

std::vector<HandoverResult> handovers_of(const Gpu& gpu) {
  const HandoverStats& stats = gpu.driver().handovers();
  const ClockDomain& core = gpu.core();
  const double ps = (core.time_of(Cycle{1}) - core.time_of(Cycle{0})) / sc_core::sc_time(1, sc_core::SC_PS);
  Histogram all;
  for (std::size_t way = 0; way < kHandoverWays; ++way)
    all.merge(stats.latencies(static_cast<HandoverWay>(way)));
  if (all.count() == 0) return {};
  std::vector<HandoverResult> results{{"all", all.count(), summary_of(all, ps)}};
  for (std::size_t i = 0; i < kHandoverWays; ++i) {
    const auto way = static_cast<HandoverWay>(i);
    const Histogram& latencies = stats.latencies(way);
    if (latencies.count() > 0)
      results.push_back({name_of(way), latencies.count(), summary_of(latencies, ps)});
  }
  return results;
}

}  // namespace heddle
