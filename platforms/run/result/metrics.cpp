#include "platforms/run/result/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace heddle {

namespace {

using OptionalNumber = std::optional<double>;

constexpr std::size_t kMostApplications = 4;  // applications whose quotas and caps have names

OptionalNumber number_of(std::uint64_t count) {
  return static_cast<double>(count);
}
OptionalNumber number_of(std::optional<std::uint64_t> count) {
  return count ? OptionalNumber(static_cast<double>(*count)) : std::nullopt;
}

// A metric that an application of the run lacks is NaN.
OptionalNumber known(double value) {
  return std::isnan(value) ? std::nullopt : OptionalNumber(value);
}

// Returns a metric that only cycle SMs have.
template <class Read>
auto of_sms(Read read) {
  return
      [read](const RunMeasures& of) { return of.run.sms ? OptionalNumber(read(*of.run.sms)) : std::nullopt; };
}
template <class Read>
auto measured_of_sms(Read read) {
  return [read](const RunMeasures& of) { return of.sms ? OptionalNumber(read(*of.sms)) : std::nullopt; };
}

OptionalNumber quota_of(const RunMeasures& of, std::size_t application) {
  const auto& quotas = of.run.quotas;
  if (!quotas || application >= quotas->size() || !(*quotas)[application]) return std::nullopt;
  return number_of(std::uint64_t{*(*quotas)[application]});
}

// Appends a value for each of the first applications, of what a block throttle did with it.
void add_throttle_metrics(std::vector<RunMetric>& metrics, const std::string& name, const char* unit,
                          ThrottleMeasures::Values ThrottleMeasures::*values) {
  for (std::size_t i = 0; i < kMostApplications; ++i)
    metrics.push_back(
        {name + "." + std::to_string(i), unit, [i, values](const RunMeasures& of) -> OptionalNumber {
           if (!of.throttle || i >= (*of.throttle.*values).size()) return std::nullopt;
           return (*of.throttle.*values)[i];
         }});
}

void add_utilisation_metrics(std::vector<RunMetric>& metrics) {
  for (std::size_t i = 0; i < kUnitKinds; ++i)
    metrics.push_back(
        {std::string("utilisation.") + name_of(static_cast<UnitKind>(i)), "ratio",
         of_sms([i](const SmResult& sms) { return sms.units[i] ? sms.units[i]->value : std::nullopt; })});
  metrics.push_back(
      {"utilisation.registers", "ratio", of_sms([](const SmResult& sms) { return sms.registers.value; })});
  metrics.push_back({"utilisation.shared_memory", "ratio",
                     of_sms([](const SmResult& sms) { return sms.shared_memory.value; })});
}

OptionalNumber value_of(const std::optional<Ratio>& ratio) {
  return ratio ? ratio->value : std::nullopt;
}

void add_warp_metrics(std::vector<RunMetric>& metrics) {
  metrics.push_back(
      {"schedulable_warps", "warp", of_sms([](const SmResult& sms) { return sms.schedulable_warps.value; })});
  metrics.push_back({"resource_hit_rate.registers", "ratio",
                     of_sms([](const SmResult& sms) { return value_of(sms.registers_hit_rate); })});
  metrics.push_back({"resource_hit_rate.shared_memory", "ratio",
                     of_sms([](const SmResult& sms) { return value_of(sms.shared_memory_hit_rate); })});
  metrics.push_back({"resource_use.registers", "ratio",
                     of_sms([](const SmResult& sms) { return value_of(sms.registers_use); })});
  metrics.push_back({"resource_use.shared_memory", "ratio",
                     of_sms([](const SmResult& sms) { return value_of(sms.shared_memory_use); })});
}

// Returns a metric of servers from their requests, or from the measures of these.
ApplicationMetric of_requests(std::string name, std::string unit,
                              std::function<OptionalNumber(const RequestsResult&)> value) {
  return {std::move(name), std::move(unit),
          [value = std::move(value)](const RunMeasures& of, std::size_t i) -> OptionalNumber {
            const auto& requests = of.run.applications[i].requests;
            return requests ? value(*requests) : std::nullopt;
          }};
}
ApplicationMetric of_served(std::string name, std::string unit, OptionalNumber RequestMeasures::*value) {
  return {std::move(name), std::move(unit), [value](const RunMeasures& of, std::size_t i) -> OptionalNumber {
            return of.requests[i] ? *of.requests[i].*value : std::nullopt;
          }};
}

// "p50", "p99_9"
std::string percentile_name(double q) {
  std::string name = fmt::format("p{}", std::round(q * 1000) / 10);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

// A percentile and both ends of its confidence interval.
constexpr std::pair<const char*, std::optional<std::uint64_t> PercentileResult::*> kOfPercentile[] = {
    {"", &PercentileResult::value_ps},
    {"_low", &PercentileResult::low_ps},
    {"_high", &PercentileResult::high_ps}};

using TimesOf = std::function<const TimeSummary*(const RequestsResult&)>;  // null: it has none

void add_time_metrics(std::vector<ApplicationMetric>& metrics, const std::string& name,
                      const TimesOf& times_of) {
  const auto add = [&](const std::string& suffix,
                       const std::function<OptionalNumber(const TimeSummary&)>& value) {
    metrics.push_back(of_requests(name + suffix, "ps", [times_of, value](const RequestsResult& of) {
      const TimeSummary* const times = times_of(of);
      return times != nullptr ? value(*times) : std::nullopt;
    }));
  };
  add("_mean_ps", [](const TimeSummary& of) { return of.mean_ps; });
  for (std::size_t i = 0; i < std::size(kPercentiles); ++i)
    for (const auto& [end, value] : kOfPercentile)
      add(fmt::format("_{}{}_ps", percentile_name(kPercentiles[i]), end),
          [i, value = value](const TimeSummary& of) {
            return i < of.percentiles.size() ? number_of(of.percentiles[i].*value) : std::nullopt;
          });
  add("_max_ps", [](const TimeSummary& of) { return of.mean_ps ? number_of(of.max_ps) : std::nullopt; });
}

void add_time_metrics(std::vector<ApplicationMetric>& metrics, const std::string& name,
                      TimeSummary RequestsResult::*times) {
  add_time_metrics(metrics, name, [times](const RequestsResult& of) { return &(of.*times); });
}
void add_time_metrics(std::vector<ApplicationMetric>& metrics, const std::string& name,
                      TimeSummary TokensResult::*times) {
  add_time_metrics(metrics, name,
                   [times](const RequestsResult& of) { return of.tokens ? &(*of.tokens.*times) : nullptr; });
}

// Appends the metrics of servers that generate tokens, under their usual short names.
void add_token_metrics(std::vector<ApplicationMetric>& metrics) {
  add_time_metrics(metrics, "ttft", &TokensResult::first);
  add_time_metrics(metrics, "tbt", &TokensResult::between);
  add_time_metrics(metrics, "tpot", &TokensResult::mean_between);
  const auto add = [&](const char* name, const char* unit,
                       std::function<OptionalNumber(const TokensResult&)> value) {
    metrics.push_back(of_requests(name, unit, [value = std::move(value)](const RequestsResult& of) {
      return of.tokens ? value(*of.tokens) : std::nullopt;
    }));
  };
  add("tokens_per_second", "1/s", [](const TokensResult& of) { return of.per_second; });
  add("sequences_mean", "sequence", [](const TokensResult& of) { return OptionalNumber(of.mean_sequences); });
  add("cache_evictions", "sequence", [](const TokensResult& of) { return number_of(of.evictions); });
}

// Returns the metrics of servers, which other applications lack.
std::vector<ApplicationMetric> make_request_metrics() {
  using R = RequestsResult;
  std::vector<ApplicationMetric> metrics;
  metrics.push_back(
      of_requests("requests_arrived", "request", [](const R& of) { return number_of(of.measured.arrived); }));
  metrics.push_back(
      of_requests("requests_served", "request", [](const R& of) { return number_of(of.measured.served); }));
  metrics.push_back(
      of_requests("requests_shed", "request", [](const R& of) { return number_of(of.measured.shed); }));
  metrics.push_back(of_requests("requests_unfinished", "request",
                                [](const R& of) { return number_of(of.measured.unfinished); }));
  add_time_metrics(metrics, "response", &R::response);
  add_time_metrics(metrics, "queueing", &R::queueing);
  add_time_metrics(metrics, "service", &R::service);
  add_token_metrics(metrics);
  metrics.push_back(of_served("deadlines_met", "ratio", &RequestMeasures::deadlines_met));
  metrics.push_back(of_served("goodput", "1/s", &RequestMeasures::goodput));
  metrics.push_back(of_served("throughput", "1/s", &RequestMeasures::throughput));
  metrics.push_back(of_served("normalised_throughput", "ratio", &RequestMeasures::normalised_throughput));
  metrics.push_back(of_requests("offered_load", "ratio", [](const R& of) { return of.offered_load; }));
  return metrics;
}

// Appends a metric of the latency of all hand-overs, in whichever way the blocks left.
void add_handover_metric(std::vector<RunMetric>& metrics, const std::string& name, std::string unit,
                         std::function<OptionalNumber(const HandoverResult&)> value) {
  metrics.push_back({name, std::move(unit), [value = std::move(value)](const RunMeasures& of) {
                       return of.run.handovers.empty() ? std::nullopt : value(of.run.handovers.front());
                     }});
}

void add_handover_metrics(std::vector<RunMetric>& metrics) {
  using R = HandoverResult;
  add_handover_metric(metrics, "handover_count", "slice", [](const R& of) { return number_of(of.count); });
  add_handover_metric(metrics, "handover_mean_ps", "ps", [](const R& of) { return of.latency.mean_ps; });
  for (std::size_t i = 0; i < std::size(kPercentiles); ++i)
    for (const auto& [end, value] : kOfPercentile)
      add_handover_metric(metrics, fmt::format("handover_{}{}_ps", percentile_name(kPercentiles[i]), end),
                          "ps", [i, value = value](const R& of) {
                            const std::vector<PercentileResult>& percentiles = of.latency.percentiles;
                            return i < percentiles.size() ? number_of(percentiles[i].*value) : std::nullopt;
                          });
  add_handover_metric(metrics, "handover_max_ps", "ps",
                      [](const R& of) { return number_of(of.latency.max_ps); });
}

// The work that was thrown away by flushes, which a machine that does not flush lacks.
struct LossMetric {
  const char* name;
  const char* unit;
  std::uint64_t LostWork::*value;
};
constexpr LossMetric kLossMetrics[] = {
    {"blocks_flushed", "block", &LostWork::blocks_flushed},
    {"lost_block_cycles", "block*cycle", &LostWork::block_cycles},
    {"lost_warp_instructions", "instruction", &LostWork::warp_instructions}};

void add_loss_metrics(std::vector<ApplicationMetric>& metrics) {
  for (const LossMetric& metric : kLossMetrics)
    metrics.push_back(
        {metric.name, metric.unit, [value = metric.value](const RunMeasures& of, std::size_t i) {
           const std::optional<LostWork> lost = of.run.applications[i].lost();
           return lost ? number_of((*lost).*value) : std::nullopt;
         }});
}

ApplicationMetric ntt_metric() {
  return {"ntt", "ratio", [](const RunMeasures& of, std::size_t i) { return known(of.multiprogram.ntt[i]); }};
}

// Appends each metric of servers once more, as that of the last application that has a value. If a server of
// answers takes over the requests of a server of prompts and stands behind it, that is the server of answers.
void add_last_metrics(std::vector<RunMetric>& metrics) {
  for (const ApplicationMetric& metric : make_request_metrics())
    metrics.push_back(
        {metric.name + ".last", metric.unit, [value = metric.value](const RunMeasures& of) -> OptionalNumber {
           for (std::size_t i = of.run.applications.size(); i-- > 0;)
             if (const OptionalNumber of_application = value(of, i)) return of_application;
           return std::nullopt;
         }});
}

// Appends a value for each of the first applications.
void add_numbered_metrics(std::vector<RunMetric>& metrics) {
  std::vector<ApplicationMetric> of_applications = make_request_metrics();
  add_loss_metrics(of_applications);
  of_applications.push_back(ntt_metric());
  for (const ApplicationMetric& metric : of_applications)
    for (std::size_t i = 0; i < kMostApplications; ++i)
      metrics.push_back({metric.name + "." + std::to_string(i), metric.unit,
                         [value = metric.value, i](const RunMeasures& of) {
                           return i < of.run.applications.size() ? value(of, i) : std::nullopt;
                         }});
  metrics.push_back({"unfairness_mean", "ratio", [](const RunMeasures& of) {
                       return of.unfairness ? of.unfairness->mean : std::nullopt;
                     }});
  metrics.push_back({"unfairness_most", "ratio", [](const RunMeasures& of) {
                       return of.unfairness ? of.unfairness->most : std::nullopt;
                     }});
}

std::vector<ApplicationMetric> make_application_metrics() {
  using M = RunMeasures;
  std::vector<ApplicationMetric> metrics{ntt_metric(),
                                         {"turnaround_ps", "ps",
                                          [](const M& of, std::size_t i) {
                                            const std::uint64_t ps = of.run.applications[i].turnaround_ps;
                                            return ps != 0 ? number_of(ps) : std::nullopt;
                                          }},
                                         {"completions", "count", [](const M& of, std::size_t i) {
                                            return number_of(of.run.applications[i].completions);
                                          }}};
  add_loss_metrics(metrics);
  for (ApplicationMetric& metric : make_request_metrics()) metrics.push_back(std::move(metric));
  return metrics;
}

std::vector<RunMetric> make_run_metrics() {
  using M = RunMeasures;
  std::vector<RunMetric> metrics{
      {"antt", "ratio", [](const M& of) { return known(of.multiprogram.antt); }},
      {"stp", "ratio", [](const M& of) { return known(of.multiprogram.stp); }},
      {"fairness", "ratio", [](const M& of) { return known(of.multiprogram.fairness); }},
      {"minimum_speedup", "ratio", [](const M& of) { return known(of.multiprogram.minimum_speedup); }},
      {"harmonic_speedup", "ratio", [](const M& of) { return known(of.multiprogram.harmonic_speedup); }},
      {"sequential_speedup", "ratio", [](const M& of) { return of.sequential_speedup; }},
      {"shared_minimum_speedup", "ratio", [](const M& of) { return of.shared_minimum_speedup; }},
      {"completions_per_second", "1/s", [](const M& of) { return of.completions_per_second; }},
      {"occupancy", "ratio", [](const M& of) { return of.run.occupancy.value; }},
      {"engine_busy", "ratio", [](const M& of) { return of.engine_busy; }},
      {"sm_busy", "ratio", [](const M& of) { return of.sm_busy; }},
      {"fill", "ratio", [](const M& of) { return of.run.fill.value; }},
      {"prioritised_turnaround_ps", "ps",
       [](const M& of) { return number_of(of.prioritised_turnaround_ps); }},
      {"energy", "J", [](const M& of) { return of.energy; }},
      {"mean_power", "W", [](const M& of) { return of.mean_power; }},
      {"energy_delay_product", "J*s", [](const M& of) { return of.energy_delay_product; }},
      {"dynamic_power", "W", [](const M& of) { return of.dynamic_power; }},
      {"static_share", "ratio", [](const M& of) { return of.static_share; }},
      {"simulated_ps", "ps", [](const M& of) { return number_of(of.run.simulated_ps); }},
      {"cycles", "cycle", [](const M& of) { return number_of(of.run.cycles); }},
      {"warp_instructions", "instruction", [](const M& of) { return number_of(of.run.warp_instructions); }},
      {"ipc", "instruction/cycle", measured_of_sms([](const SmMeasures& sms) { return sms.ipc; })},
      {"l1_miss_rate", "ratio", of_sms([](const SmResult& sms) { return sms.l1_miss_rate.value; })},
      {"l2_miss_rate", "ratio", of_sms([](const SmResult& sms) { return sms.l2_miss_rate.value; })},
      {"l2_mpki", "line/1000 instruction", of_sms([](const SmResult& sms) { return sms.l2_mpki.value; })}};
  add_utilisation_metrics(metrics);
  add_warp_metrics(metrics);
  metrics.push_back(
      {"stalled_cycles", "cycle", measured_of_sms([](const SmMeasures& sms) { return sms.stalled_cycles; })});
  metrics.push_back(
      {"stalled_share", "ratio", measured_of_sms([](const SmMeasures& sms) { return sms.stalled_share; })});
  metrics.push_back({"stalled_slots", "scheduler*cycle",
                     measured_of_sms([](const SmMeasures& sms) { return sms.stalled_slots; })});
  metrics.push_back({"stalled_slot_share", "ratio",
                     measured_of_sms([](const SmMeasures& sms) { return sms.stalled_slot_share; })});
  metrics.push_back({"profiled", "ratio", [](const M& of) { return of.profiled; }});
  for (std::size_t i = 0; i < kMostApplications; ++i)
    metrics.push_back({"quotas." + std::to_string(i), "block", [i](const M& of) { return quota_of(of, i); }});
  add_throttle_metrics(metrics, "caps", "block", &ThrottleMeasures::caps);
  add_throttle_metrics(metrics, "most_blocks", "block", &ThrottleMeasures::most_blocks);
  add_throttle_metrics(metrics, "slice_blocks", "block", &ThrottleMeasures::blocks);
  add_throttle_metrics(metrics, "throttle_samples", "sample", &ThrottleMeasures::samples);
  add_throttle_metrics(metrics, "settled", "ratio", &ThrottleMeasures::settled);
  add_throttle_metrics(metrics, "settling", "ratio", &ThrottleMeasures::settling);
  for (std::size_t i = 0; i < kBuckets; ++i)
    metrics.push_back({std::string("share_of.") + name_of(static_cast<Bucket>(i)), "ratio",
                       measured_of_sms([i](const SmMeasures& sms) { return sms.share_of[i]; })});
  for (std::size_t i = 0; i < kBuckets; ++i)
    metrics.push_back({std::string("resident_share_of.") + name_of(static_cast<Bucket>(i)), "ratio",
                       measured_of_sms([i](const SmMeasures& sms) { return sms.resident_share_of[i]; })});
  add_handover_metrics(metrics);
  add_numbered_metrics(metrics);
  add_last_metrics(metrics);
  return metrics;
}

}  // namespace

const std::vector<RunMetric>& run_metrics() {
  static const std::vector<RunMetric> metrics = make_run_metrics();
  return metrics;
}

const RunMetric* find_run_metric(const std::string& name) {
  const std::vector<RunMetric>& metrics = run_metrics();
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const RunMetric& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

const std::vector<std::string>& request_metrics() {
  static const std::vector<std::string> metrics{"response_ps", "queueing_ps", "service_ps"};
  return metrics;
}

const std::vector<ApplicationMetric>& application_metrics() {
  static const std::vector<ApplicationMetric> metrics = make_application_metrics();
  return metrics;
}

}  // namespace heddle
