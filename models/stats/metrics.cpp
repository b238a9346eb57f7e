#include "models/stats/metrics.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace heddle {

Multiprogram multiprogram(const std::vector<double>& together, const std::vector<double>& alone) {
  if (together.empty() || together.size() != alone.size())
    throw std::invalid_argument("metrics need the same programs together and alone");
  Multiprogram metrics;
  for (std::size_t i = 0; i < together.size(); ++i) {
    if (!(together[i] > 0 && alone[i] > 0))
      throw std::invalid_argument("a turnaround time that is not above zero");
    metrics.ntt.push_back(together[i] / alone[i]);
    metrics.stp += alone[i] / together[i];
  }
  const auto programs = static_cast<double>(metrics.ntt.size());
  const double sum = std::accumulate(metrics.ntt.begin(), metrics.ntt.end(), 0.0);
  const auto [least, most] = std::minmax_element(metrics.ntt.begin(), metrics.ntt.end());
  metrics.antt = sum / programs;
  metrics.fairness = *least / *most;
  metrics.minimum_speedup = 1.0 / *most;
  metrics.harmonic_speedup = programs / sum;
  return metrics;
}

}  // namespace heddle
