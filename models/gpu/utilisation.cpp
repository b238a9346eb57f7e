#include "models/gpu/utilisation.h"

#include <string>

namespace heddle {

Utilisation::Utilisation(const SmSpec& spec, const std::vector<CycleSm*>& sms, const Counter& active,
                         Group& gpu) {
  // `capacity` is the capacity of one SM.
  const auto add = [&](const std::string& resource, const std::string& what, double capacity, auto used_on) {
    CounterList used;
    for (const CycleSm* sm : sms) used.emplace_back(used_on(*sm));
    return &gpu.add_formula(resource + "_utilisation", "1",
                            what + ", of all SMs while a kernel was on the engine", used, {active},
                            1.0 / (capacity * spec.count));
  };
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    const auto unit = static_cast<UnitKind>(i);
    if (spec.cycle->units[i].count == 0) continue;
    units_[i] = add(name_of(unit), "busy pipelines per pipeline of the unit", spec.cycle->units[i].count,
                    [unit](const CycleSm& sm) -> const Counter& { return sm.unit_busy_cycles(unit); });
  }
  registers_ = add("registers", "registers held per register", spec.limits.registers,
                   [](const CycleSm& sm) -> const Counter& { return sm.register_cycles(); });
  shared_memory_ = add("shared_memory", "shared memory held per byte", spec.limits.shared_bytes,
                       [](const CycleSm& sm) -> const Counter& { return sm.shared_cycles(); });
  CounterList misses;
  CounterList accesses;
  for (const CycleSm* sm : sms) {
    misses.emplace_back(sm->total(&KernelCounts::l1_misses));
    accesses.emplace_back(sm->total(&KernelCounts::l1_accesses));
  }
  l1_miss_rate_ =
      &gpu.add_formula("l1_miss_rate", "1", "lines asked for at L2 per access of L1", misses, accesses);
}

}  // namespace heddle
