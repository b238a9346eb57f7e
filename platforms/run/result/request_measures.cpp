#include "platforms/run/result/request_measures.h"

#include <algorithm>

namespace heddle {

namespace {

double per_second(std::uint64_t count, std::uint64_t ps) {
  return static_cast<double>(count) / (static_cast<double>(ps) * 1e-12);
}

// Returns the slowdown of an application in one window; none if it has done nothing there.
std::optional<double> slowdown_in(const ApplicationResult& application, std::size_t window,
                                  std::uint64_t window_ps, const AloneRun& alone) {
  if (window >= application.progress.size() || !application.progress[window]) return std::nullopt;
  const double done = *application.progress[window];
  if (application.requests)
    return alone.service_ps > 0 ? std::optional(done / alone.service_ps) : std::nullopt;
  if (done == 0 || alone.blocks_done == 0) return std::nullopt;
  const double block_alone =
      static_cast<double>(alone.turnaround_ps) / static_cast<double>(alone.blocks_done);
  return static_cast<double>(window_ps) / done / block_alone;
}

}  // namespace

RequestMeasures measure_requests(const RequestsResult& requests, const AloneRun& alone) {
  RequestMeasures measures;
  const bool has_limits = requests.deadline_ps != 0 || (requests.tokens && requests.tokens->has_limits());
  if (has_limits && requests.measured.arrived != 0)
    measures.deadlines_met =
        static_cast<double>(requests.in_time) / static_cast<double>(requests.measured.arrived);
  if (requests.measured_ps != 0) {
    measures.goodput = per_second(requests.in_time, requests.measured_ps);
    measures.throughput = per_second(requests.measured.served, requests.measured_ps);
    if (alone.throughput > 0) measures.normalised_throughput = *measures.throughput / alone.throughput;
  }
  if (requests.offered_load && requests.arrival_rate && alone.service_ps > 0)
    measures.load_alone = *requests.arrival_rate * alone.service_ps * 1e-12;
  return measures;
}

std::optional<double> slowdown_of(const ApplicationResult& application, const AloneRun& alone) {
  if (application.requests) {
    const std::optional<double>& mean = application.requests->service.mean_ps;
    return mean && alone.service_ps > 0 ? std::optional(*mean / alone.service_ps) : std::nullopt;
  }
  const std::uint64_t blocks = application.blocks_done();
  if (blocks == 0 || alone.blocks_done == 0) return std::nullopt;
  const double block = static_cast<double>(application.present_ps.value_or(0)) / static_cast<double>(blocks);
  return block / (static_cast<double>(alone.turnaround_ps) / static_cast<double>(alone.blocks_done));
}

std::optional<Unfairness> measure_unfairness(const RunResult& run, const std::vector<AloneRun>& alone) {
  if (!run.progress_window_ps) return std::nullopt;
  Unfairness unfairness;
  unfairness.window_ps = *run.progress_window_ps;
  const std::size_t windows = run.applications.front().progress.size();
  double sum = 0;
  std::uint64_t valued = 0;
  for (std::size_t window = 0; window < windows; ++window) {
    std::vector<double> slowdowns;
    unfairness.slowdowns.emplace_back();
    for (std::size_t i = 0; i < run.applications.size(); ++i) {
      const auto slowdown = slowdown_in(run.applications[i], window, unfairness.window_ps, alone[i]);
      unfairness.slowdowns.back().push_back(slowdown);
      if (slowdown) slowdowns.push_back(*slowdown);
    }
    unfairness.windows.emplace_back();
    if (slowdowns.size() < 2) continue;
    const auto [least, most] = std::minmax_element(slowdowns.begin(), slowdowns.end());
    const double value = *most / *least;
    unfairness.windows.back() = value;
    unfairness.most = std::max(value, unfairness.most.value_or(value));
    sum += value;
    ++valued;
  }
  if (valued > 0) unfairness.mean = sum / static_cast<double>(valued);
  return unfairness;
}

}  // namespace heddle
