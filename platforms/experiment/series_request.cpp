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
  static const std::vector<std::string> patterns{"applications.*.block_limit",
                                                 "applications.*.blocks_done",
                                                 "applications.*.requests.in_time",
                                                 "applications.*.requests.mean_queueing",
                                                 "applications.*.requests.mean_service",
                                                 "applications.*.requests.served",
                                                 "applications.*.requests.shed",
                                                 "applications.*.running_blocks",
                                                 "applications.*.sms",
                                                 "applications.*.tokens",
                                                 "applications.*.sm.warp_instructions",
                                                 "gpu.*_power",
                                                 "gpu.crossbar.*.flits",
                                                 "gpu.dma*.bytes_*",
                                                 "gpu.dram*.data_bus.utilisation",
                                                 "gpu.dram*.row_hit_rate",
                                                 "gpu.fill",
                                                 "gpu.l1_miss_rate",
                                                 "gpu.l2_miss_rate",
                                                 "gpu.link.*.busy_cycles",
                                                 "gpu.occupancy",
                                                 "gpu.power",
                                                 "gpu.schedulable_warps",
                                                 "gpu.sm_cycles.active",
                                                 "gpu.sm_cycles.barrier",
                                                 "gpu.sm_cycles.buffer_empty",
                                                 "gpu.sm_cycles.no_warp",
                                                 "gpu.sm_cycles.pipeline_*",
                                                 "gpu.sm_cycles.scoreboard_*"};
  return patterns;
}

}  // namespace heddle
