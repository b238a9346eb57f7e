#include "models/sm/core_stats.h"

#include <string>

namespace heddle {

CoreStats::CoreStats(const CycleSmSpec& spec, const CycleAccounts& accounts, Group& stats) : totals_(stats) {
  CounterList cycles;
  for (std::size_t b = 0; b < kBuckets; ++b) cycles.emplace_back(accounts.counter(static_cast<Bucket>(b)));
  stats.add_formula("ipc", "instruction/cycle", "warp instructions per core cycle",
                    {totals_.counter(&KernelCounts::warp_instructions)}, cycles);
  for (std::size_t i = 0; i < kUnitKinds; ++i)
    if (spec.units[i].count > 0) add_unit(spec.units[i], static_cast<UnitKind>(i), cycles, stats);
}

void CoreStats::add_unit(const UnitSpec& spec, UnitKind unit, const CounterList& cycles, Group& stats) {
  Counter& busy = busy_cycles_[static_cast<std::size_t>(unit)];
  stats.child("unit_busy")
      .add(busy, name_of(unit), "pipeline*cycle",
           unit == UnitKind::kMemory
               ? "cycles with an instruction at the head of the load/store unit's queue: it made an "
                 "access, or was refused"
               : "cycles in which a pipeline could take no instruction, for the initiation interval of the "
                 "one before; summed over pipelines");
  stats.add_formula(std::string(name_of(unit)) + "_utilisation", "1",
                    "busy pipelines per pipeline of the unit", {busy}, cycles, 1.0 / spec.count);
}

}  // namespace heddle
