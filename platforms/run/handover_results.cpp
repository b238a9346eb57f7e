#include "platforms/run/handover_results.h"

#include <array>

#include "platforms/run/histogram_summary.h"

namespace heddle {

std::vector<HandoverResult> handovers_of(const std::vector<const Gpu*>& gpus) {
  const ClockDomain& core = gpus.front()->core();
  const double ps = (core.time_of(Cycle{1}) - core.time_of(Cycle{0})) / sc_core::sc_time(1, sc_core::SC_PS);
  Histogram all;
  std::array<Histogram, kHandoverWays> ways;
  for (const Gpu* gpu : gpus)
    for (std::size_t i = 0; i < kHandoverWays; ++i) {
      const Histogram& latencies = gpu->driver().handovers().latencies(static_cast<HandoverWay>(i));
      all.merge(latencies);
      ways[i].merge(latencies);
    }
  if (all.count() == 0) return {};
  std::vector<HandoverResult> results{{"all", all.count(), summary_of(all, ps)}};
  for (std::size_t i = 0; i < kHandoverWays; ++i)
    if (ways[i].count() > 0)
      results.push_back({name_of(static_cast<HandoverWay>(i)), ways[i].count(), summary_of(ways[i], ps)});
  return results;
}

}  // namespace heddle
