#pragma once
// Random results of runs, for tests of code that stores or reads results.

#include <string>

#include "models/core/base/random.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

class RandomResult {
 public:
  explicit RandomResult(std::uint64_t seed) : random_(seed) {}

  RunResult make() {
    RunResult run;
    run.simulated_ps = count();
    run.cycles = count();
    run.warp_instructions = count();
    run.core_hz = real();
    run.pcie_hz = real();
    if (coin()) run.sms = make_sms();
    run.occupancy = ratio();
    run.fill = ratio();
    const std::size_t applications = 1 + random_.below(4);
    for (std::size_t i = 0; i < applications; ++i) run.applications.push_back(make_application());
    for (std::size_t i = random_.below(4); i > 0; --i) run.decisions.push_back(make_decision());
    if (coin()) {
      run.quotas.emplace(applications);
      for (auto& quota : *run.quotas)
        if (coin()) quota = static_cast<std::uint32_t>(random_.below(UINT64_C(1) << 32));
    }
    run.transactions = count();
    if (coin()) run.energy_fj = count();
    if (run.energy_fj) run.dynamic_energy_fj = count();
    return run;
  }

  // With hand-overs and lost work, too.
  RunResult make_preempted() {
    RunResult run = make();
    for (std::size_t i = random_.below(3); i > 0; --i) run.handovers.push_back({name(), count(), times()});
    for (ApplicationResult& application : run.applications)
      for (KernelResult& kernel : application.kernels) kernel.lost = lost();
    return run;
  }

 private:
  bool coin() { return random_.below(2) == 0; }
  std::uint64_t count() { return random_.below(UINT64_MAX) >> random_.below(64); }
  double real() { return static_cast<double>(count()) / static_cast<double>(1 + count()); }
  std::string name() {
    const char* const names[] = {"sgemm", "", "a \"quoted\"\n\\name", "grüße", "_Z3fooPfS_i"};
    return names[random_.below(5)];
  }
  Ratio ratio() {
    Ratio made{std::nullopt, count(), count()};
    if (coin()) made.value = real();
    return made;
  }

  SmResult make_sms() {
    SmResult sms;
    for (double* hz : {&sms.icnt_hz, &sms.l2_hz, &sms.dram_hz}) *hz = real();
    for (BucketCycles* of : {&sms.sm_cycles, &sms.issue_slots})
      for (std::uint64_t& cycles : *of) cycles = coin() ? 0 : count();
    for (auto& unit : sms.units)
      if (coin()) unit = ratio();
    for (std::optional<Ratio>* of :
         {&sms.registers_hit_rate, &sms.shared_memory_hit_rate, &sms.registers_use, &sms.shared_memory_use})
      if (coin()) *of = ratio();
    for (Ratio* of : {&sms.registers, &sms.shared_memory, &sms.schedulable_warps, &sms.l1_miss_rate,
                      &sms.l2_miss_rate, &sms.l2_mpki})
      *of = ratio();
    return sms;
  }

  ApplicationResult make_application() {
    ApplicationResult made{name(),  1 + count() / 2, count() >> 8, count(), count(),
                           count(), count(),         count(),      {}};
    for (std::size_t i = random_.below(3); i > 0; --i)
      made.kernels.push_back({name(), count(), count(), count(), count(), count(), throttle()});
    return made;
  }

  std::optional<ThrottleResult> throttle() {
    if (coin()) return std::nullopt;
    return ThrottleResult{count(), count(), count(), count(), count(), count(), count()};
  }

  std::optional<LostWork> lost() {
    if (coin()) return std::nullopt;
    return LostWork{count(), count(), count()};
  }

  TimeSummary times() {
    TimeSummary made{coin() ? std::optional(real()) : std::nullopt, std::nullopt, count(), {}};
    for (const double q : kPercentiles)
      made.percentiles.push_back({q, count(), std::nullopt, count(), count()});
    return made;
  }

  DecisionResult make_decision() {
    DecisionResult made{count(), static_cast<PartitionDecision::Kind>(random_.below(4)), real(), {}};
    for (std::size_t i = random_.below(3); i > 0; --i) {
      made.shares.push_back({name(), name(), static_cast<std::uint32_t>(random_.below(100)), {}});
      for (std::size_t j = random_.below(4); j > 0; --j) made.shares.back().performance.push_back(real());
    }
    return made;
  }

  Random random_;
};

}  // namespace heddle
