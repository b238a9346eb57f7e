#pragma once
// A sample of times as its mean and percentiles, in picoseconds.

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

struct PercentileResult {
  double q = 0;  // 0.99 of the 99th percentile
  // The percentile and its confidence interval of 95 %. None if there are fewer samples than it needs.
  std::optional<std::uint64_t> value_ps;
  std::optional<std::uint64_t> low_ps;
  std::optional<std::uint64_t> high_ps;
  std::uint64_t needs = 0;  // samples
};

struct TimeSummary {
  std::optional<double> mean_ps;       // none without a sample, and so is the next
  std::optional<double> deviation_ps;  // none where it is not known
  std::uint64_t max_ps = 0;
  std::vector<PercentileResult> percentiles;  // of kPercentiles
};

inline constexpr double kPercentiles[] = {0.5, 0.9, 0.95, 0.99, 0.999};

}  // namespace heddle
