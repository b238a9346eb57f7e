#include "platforms/run/histogram_summary.h"

#include <cmath>

#include "models/stats/percentiles.h"

namespace heddle {

TimeSummary summary_of(const Histogram& times, double ps) {
  const auto scaled = [ps](std::uint64_t time) {
    return ps == 1 ? time : static_cast<std::uint64_t>(std::llround(static_cast<double>(time) * ps));
  };
  TimeSummary summary;
  summary.max_ps = scaled(times.max());
  if (times.count() > 0)
    summary.mean_ps = static_cast<double>(times.sum()) / static_cast<double>(times.count()) * ps;
  for (const double q : kPercentiles) {
    PercentileResult& percentile = summary.percentiles.emplace_back();
    percentile.q = q;
    percentile.needs = samples_needed(q);
    if (const auto found = percentile_of(times, q)) {
      percentile.value_ps = scaled(found->value);
      percentile.low_ps = scaled(found->low);
      percentile.high_ps = scaled(found->high);
    }
  }
  return summary;
}

}  // namespace heddle
