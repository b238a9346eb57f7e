#include "platforms/run/result/metrics.h"

#include <algorithm>

namespace heddle {

namespace {

using Number = std::optional<double>;

constexpr std::size_t kMostNamed = 4;  // applications whose quotas and caps have names

Number number_of(std::uint64_t count) {
  return static_cast<double>(count);
}
Number number_of(std::optional<std::uint64_t> count) {
  return count ? Number(static_cast<double>(*count)) : std::nullopt;
}

// Returns a metric that only cycle SMs have.
template <class Read>
auto of_sms(Read read) {
  return [read](const RunMeasures& of) { return of.run.sms ? Number(read(*of.run.sms)) : std::nullopt; };
}
template <class Read>
auto measured_of_sms(Read read) {
  return [read](const RunMeasures& of) { return of.sms ? Number(read(*of.sms)) : std::nullopt; };
}

Number quota_of(const RunMeasures& of, std::size_t application) {
  const auto& quotas = of.run.quotas;
  if (!quotas || application >= quotas->size() || !(*quotas)[application]) return std::nullopt;
  return number_of(std::uint64_t{*(*quotas)[application]});
}

// Appends a value for each of the first applications, of what a block throttle did with it.
void add_throttle_metrics(std::vector<RunMetric>& metrics, const std::string& name, const char* unit,
                          ThrottleMeasures::Values ThrottleMeasures::*values) {
  for (std::size_t i = 0; i < kMostNamed; ++i)
    metrics.push_back({name + "." + std::to_string(i), unit, [i, values](const RunMeasures& of) -> Number {
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

Number value_of(const std::optional<Ratio>& ratio) {
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

std::vector<RunMetric> make_run_metrics() {
  using M = RunMeasures;
  std::vector<RunMetric> metrics{
      {"antt", "ratio", [](const M& of) { return of.multiprogram.antt; }},
      {"stp", "ratio", [](const M& of) { return of.multiprogram.stp; }},
      {"fairness", "ratio", [](const M& of) { return of.multiprogram.fairness; }},
      {"minimum_speedup", "ratio", [](const M& of) { return of.multiprogram.minimum_speedup; }},
      {"harmonic_speedup", "ratio", [](const M& of) { return of.multiprogram.harmonic_speedup; }},
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
  for (std::size_t i = 0; i < kMostNamed; ++i)
    metrics.push_back({"quotas." + std::to_string(i), "block", [i](const M& of) { return quota_of(of, i); }});
  add_throttle_metrics(metrics, "caps", "block", &ThrottleMeasures::caps);
  add_throttle_metrics(metrics, "most_blocks", "block", &ThrottleMeasures::most_blocks);
  add_throttle_metrics(metrics, "throttle_samples", "sample", &ThrottleMeasures::samples);
  add_throttle_metrics(metrics, "settled", "ratio", &ThrottleMeasures::settled);
  add_throttle_metrics(metrics, "settling", "ratio", &ThrottleMeasures::settling);
  for (std::size_t i = 0; i < kBuckets; ++i)
    metrics.push_back({std::string("share_of.") + name_of(static_cast<Bucket>(i)), "ratio",
                       measured_of_sms([i](const SmMeasures& sms) { return sms.share_of[i]; })});
  for (std::size_t i = 0; i < kBuckets; ++i)
    metrics.push_back({std::string("resident_share_of.") + name_of(static_cast<Bucket>(i)), "ratio",
                       measured_of_sms([i](const SmMeasures& sms) { return sms.resident_share_of[i]; })});
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

const std::vector<ApplicationMetric>& application_metrics() {
  using M = RunMeasures;
  static const std::vector<ApplicationMetric> metrics{
      {"ntt", "ratio", [](const M& of, std::size_t i) { return of.multiprogram.ntt[i]; }},
      {"turnaround_ps", "ps",
       [](const M& of, std::size_t i) { return static_cast<double>(of.run.applications[i].turnaround_ps); }},
      {"completions", "count",
       [](const M& of, std::size_t i) { return static_cast<double>(of.run.applications[i].completions); }}};
  return metrics;
}

}  // namespace heddle
