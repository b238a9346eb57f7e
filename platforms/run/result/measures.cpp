#include "platforms/run/result/measures.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace heddle {

namespace {

SmMeasures measure_sms(const RunResult& run, const SmResult& sms) {
  SmMeasures measures;
  double all = 0;
  for (const std::uint64_t cycles : sms.sm_cycles) all += static_cast<double>(cycles);
  for (std::size_t i = 0; all != 0 && i < kBuckets; ++i)
    measures.share_of[i] = static_cast<double>(sms.sm_cycles[i]) / all;
  const auto cycles_of = [&](Bucket bucket) {
    return static_cast<double>(sms.sm_cycles[static_cast<std::size_t>(bucket)]);
  };
  measures.stalled_cycles = all - cycles_of(Bucket::kActive) - cycles_of(Bucket::kNoWarp);
  double slots = 0;
  for (const std::uint64_t cycles : sms.issue_slots) slots += static_cast<double>(cycles);
  const auto slots_of = [&](Bucket bucket) {
    return static_cast<double>(sms.issue_slots[static_cast<std::size_t>(bucket)]);
  };
  measures.stalled_slots = slots - slots_of(Bucket::kActive) - slots_of(Bucket::kNoWarp);
  if (all != 0) measures.stalled_share = measures.stalled_cycles / all;
  if (slots != 0) measures.stalled_slot_share = measures.stalled_slots / slots;
  if (run.cycles != 0)
    measures.ipc = static_cast<double>(run.warp_instructions) / static_cast<double>(run.cycles);
  return measures;
}

// While no kernel is on the engine, no SM has a warp.
void measure_resident_shares(double engine_busy, SmMeasures& sms) {
  constexpr auto kNoWarp = static_cast<std::size_t>(Bucket::kNoWarp);
  double with_warp = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (!sms.share_of[i] || i == kNoWarp) continue;
    sms.resident_share_of[i] = *sms.share_of[i] / engine_busy;
    with_warp += *sms.resident_share_of[i];
  }
  if (sms.share_of[kNoWarp]) sms.resident_share_of[kNoWarp] = std::max(0.0, 1 - with_warp);
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<ThrottleMeasures> measure_throttle(const RunResult& run) {
  ThrottleMeasures measures;
  bool is_throttled = false;
  for (const ApplicationResult& application : run.applications) {
    ThrottleResult sum;
    std::uint64_t blocks = 0;
    for (const KernelResult& kernel : application.kernels)
      if (kernel.throttle) {
        is_throttled = true;
        sum += *kernel.throttle;
        blocks += kernel.blocks_done;
      }
    const auto add = [&sum](ThrottleMeasures::Values& to, std::uint64_t part, std::uint64_t whole) {
      to.push_back(sum.slices == 0 ? std::nullopt : std::optional(share(part, whole)));
    };
    add(measures.caps, sum.caps, sum.slices);
    add(measures.most_blocks, sum.most_blocks, sum.slices);
    add(measures.blocks, blocks, sum.slices);
    add(measures.samples, sum.samples, sum.slices);
    add(measures.settled, sum.settled, sum.slices);
    add(measures.settling, sum.cycles_to_settle, sum.cycles);
  }
  return is_throttled ? std::optional(measures) : std::nullopt;
}

// Returns the share of the run's cycles that lie between the start of a profile and the decision that follows
// it.
double profiled_share(const RunResult& run) {
  std::uint64_t sum = 0;
  std::uint64_t since = 0;
  bool is_profile = false;
  for (const DecisionResult& decision : run.decisions) {
    if (is_profile) sum += decision.cycle - since;
    is_profile = decision.kind == PartitionDecision::Kind::kProfile;
    since = decision.cycle;
  }
  if (is_profile) sum += run.cycles - std::min(run.cycles, since);
  return run.cycles == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(run.cycles);
}

// Returns no value if an application has no target.
std::optional<double> shared_minimum_speedup(const RunResult& run, const std::vector<AloneRun>& alone) {
  std::optional<double> least;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const ApplicationResult& application = run.applications[i];
    if (application.shared_ps == 0 || application.warp_instructions == 0) return std::nullopt;
    const double share = static_cast<double>(application.shared_instructions) /
                         static_cast<double>(application.warp_instructions);
    const double speedup =
        share * static_cast<double>(alone[i].turnaround_ps) / static_cast<double>(application.shared_ps);
    least = std::min(speedup, least.value_or(speedup));
  }
  return least;
}

// Returns the metrics from the slowdowns of the applications. All are NaN if one has none.
Multiprogram multiprogram_of(const std::vector<std::optional<double>>& slowdowns) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> known;
  for (const std::optional<double>& slowdown : slowdowns)
    if (slowdown) known.push_back(*slowdown);
  if (known.size() == slowdowns.size()) return multiprogram(known, std::vector<double>(known.size(), 1.0));
  Multiprogram metrics{{}, kNone, kNone, kNone, kNone, kNone};
  for (const std::optional<double>& slowdown : slowdowns) metrics.ntt.push_back(slowdown.value_or(kNone));
  return metrics;
}

void measure_servers(const RunResult& run, const std::vector<AloneRun>& alone, RunMeasures& measures) {
  std::vector<std::optional<double>> slowdowns;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const ApplicationResult& application = run.applications[i];
    slowdowns.push_back(slowdown_of(application, alone[i]));
    if (application.requests) measures.requests[i] = measure_requests(*application.requests, alone[i]);
  }
  measures.multiprogram = multiprogram_of(slowdowns);
  measures.unfairness = measure_unfairness(run, alone);
}

void measure_turnarounds(const RunResult& run, const std::vector<AloneRun>& alone_runs,
                         RunMeasures& measures) {
  measures.requests.resize(alone_runs.size());
  if (run.progress_window_ps) return measure_servers(run, alone_runs, measures);
  std::vector<double> together;
  std::vector<double> alone;
  for (std::size_t i = 0; i < alone_runs.size(); ++i) {
    together.push_back(static_cast<double>(run.applications[i].turnaround_ps));
    alone.push_back(static_cast<double>(alone_runs[i].turnaround_ps));
  }
  measures.multiprogram = multiprogram(together, alone);
  measures.sequential_speedup =
      std::accumulate(alone.begin(), alone.end(), 0.0) / *std::max_element(together.begin(), together.end());
}

void measure_energy(const RunResult& run, RunMeasures& measures) {
  if (!run.energy_fj || !run.dynamic_energy_fj) return;
  const double dynamic = static_cast<double>(*run.dynamic_energy_fj) * 1e-15;
  const double joules = static_cast<double>(*run.energy_fj) * 1e-15;
  const double seconds = static_cast<double>(run.simulated_ps) * 1e-12;
  measures.energy = joules;
  if (joules != 0) measures.static_share = 1 - dynamic / joules;
  if (seconds != 0) {
    measures.mean_power = joules / seconds;
    measures.dynamic_power = dynamic / seconds;
  }
  measures.energy_delay_product = joules * seconds;
}

}  // namespace

RunMeasures measure(const RunResult& run, const std::vector<AloneRun>& alone,
                    std::optional<std::size_t> prioritised) {
  if (run.applications.size() != alone.size() || prioritised.value_or(0) >= alone.size())
    throw std::invalid_argument("applications: are not those that ran alone");
  RunMeasures measures;
  measures.run = run;
  if (run.sms) measures.sms = measure_sms(run, *run.sms);
  measures.throttle = measure_throttle(run);
  if (!run.decisions.empty()) measures.profiled = profiled_share(run);
  measure_turnarounds(run, alone, measures);
  measures.shared_minimum_speedup = shared_minimum_speedup(run, alone);
  std::uint64_t completions = 0;
  for (const ApplicationResult& application : run.applications) completions += application.completions;
  measures.completions_per_second =
      static_cast<double>(completions) / (static_cast<double>(run.simulated_ps) * 1e-12);
  const double cycles = static_cast<double>(run.simulated_ps) * 1e-12 * run.core_hz;
  if (cycles != 0) measures.engine_busy = static_cast<double>(run.cycles) / cycles;
  if (measures.engine_busy && run.occupancy.value)
    measures.sm_busy = *measures.engine_busy * *run.occupancy.value;
  if (measures.sms && measures.engine_busy.value_or(0) > 0)
    measure_resident_shares(*measures.engine_busy, *measures.sms);
  measure_energy(run, measures);
  if (prioritised && run.applications[*prioritised].turnaround_ps != 0)
    measures.prioritised_turnaround_ps = run.applications[*prioritised].turnaround_ps;
  return measures;
}

}  // namespace heddle
