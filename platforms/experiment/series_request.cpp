#include "platforms/experiment/series_request.h"

#include <fmt/format.h>

#include "models/core/config/config_units.h"

namespace heddle {

std::string set_interval(SeriesRequest& request, const std::string& text) {
  const auto cycles = config::detail::parse_cycles(text, {1});
  const auto ps = config::detail::parse_time(text);
  if (cycles.ok()) request.cycles = cycles.value;
  if (ps.ok()) request.ps = ps.value;
  if (request.is_wanted()) return {};
  return fmt::format("needs {} or {}, and above zero", config::detail::kCycles, config::detail::kTime);
}

const std::vector<std::string>& default_series() {
  static const std::vector<std::string> patterns{"applications.*.blocks_done",
                                                 "applications.*.warp_instructions",
                                                 "gpu.dma*.bytes_*",
                                                 "gpu.dram*.reads",
                                                 "gpu.dram*.row_hit_rate",
                                                 "gpu.dram*.writes",
                                                 "gpu.fill",
                                                 "gpu.l1_miss_rate",
                                                 "gpu.l2_miss_rate",
                                                 "gpu.occupancy",
                                                 "gpu.power",
                                                 "gpu.*_power",
                                                 "gpu.schedulable_warps"};
  return patterns;
}

}  // namespace heddle
