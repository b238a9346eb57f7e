#pragma once
// CoreStats has an SM's counters of instructions and units, and the ratios over the SM's cycles. Counters
// that a single part of the SM counts are registered by that part: bank conflicts, cycles by bucket.

#include <array>

#include "models/sm/kernel_stats.h"
#include "models/sm/residence/cycle_accounts.h"
#include "models/sm/spec/cycle_spec.h"
#include "models/stats/group.h"

namespace heddle {

class CoreStats {
 public:
  // `stats` is the group of the SM.
  CoreStats(const CycleSmSpec& spec, const CycleAccounts& accounts, Group& stats);

  void set_busy_cycles(UnitKind unit, std::uint64_t cycles) {
    busy_cycles_[static_cast<std::size_t>(unit)].set(cycles);
  }
  void set_totals(const KernelCounts& counts) { totals_.set(counts); }

  const Counter& busy_cycles(UnitKind unit) const { return busy_cycles_[static_cast<std::size_t>(unit)]; }
  const KernelStats& totals() const { return totals_; }  // sums over the kernels

 private:
  void add_unit(const UnitSpec& spec, UnitKind unit, const CounterList& cycles, Group& stats);

  std::array<Counter, kUnitKinds> busy_cycles_;  // summed over the pipelines of a unit
  KernelStats totals_;
};

}  // namespace heddle
