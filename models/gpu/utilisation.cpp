#include "models/gpu/utilisation.h"

#include <string>

namespace heddle {

namespace {

// Returns null if the resource manager of the SMs does not map.
const Formula* add_hit_rate(const std::string& name, ManagedResource resource,
                            const std::vector<SmCore*>& sms, Group& gpu) {
  CounterList hits;
  CounterList accesses;
  for (const SmCore* sm : sms) {
    const ResourceStats* stats = sm->resource_stats();
    if (stats == nullptr) return nullptr;
    hits.emplace_back(stats->on_chip(resource));
    accesses.emplace_back(stats->accesses(resource));
  }
  return &gpu.add_formula(name + "_hit_rate", "1", "accesses that found it on chip, per access", hits,
                          accesses);
}

// The function returns null if the SMs do not count which registers and words are accessed in an epoch.
const Formula* add_use(const std::string& name, const EpochUse& (ResourceUse::*of)() const,
                       const std::vector<SmCore*>& sms, Group& gpu) {
  CounterList used;
  CounterList offered;
  for (const SmCore* sm : sms) {
    const ResourceUse* use = sm->resource_use();
    if (use == nullptr) return nullptr;
    used.emplace_back((use->*of)().used());
    offered.emplace_back((use->*of)().offered());
  }
  return &gpu.add_formula(name + "_use", "1", "share of it that is accessed within an epoch", used, offered);
}

}  // namespace

Utilisation::Utilisation(const SmSpec& spec, const std::vector<std::unique_ptr<SmModule>>& modules,
                         const std::vector<SmCore*>& cores, const Counter& active, Group& gpu) {
  // `capacity` is the capacity of one SM.
  const auto add = [&](const std::string& resource, const std::string& what, double capacity,
                       const CounterList& used) {
    return &gpu.add_formula(resource + "_utilisation", "1",
                            what + ", of all SMs while a kernel was on the engine", used, {active},
                            1.0 / (capacity * spec.count));
  };
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    const auto unit = static_cast<UnitKind>(i);
    const std::uint32_t pipelines = spec.execution()->unit(unit).count;
    if (pipelines == 0) continue;
    CounterList busy;
    for (const SmCore* core : cores) busy.emplace_back(core->stats().busy_cycles(unit));
    units_[i] = add(name_of(unit), "busy pipelines per pipeline of the unit", pipelines, busy);
  }
  CounterList registers;
  CounterList shared_memory;
  for (const auto& module : modules) {
    registers.emplace_back(module->register_cycles());
    shared_memory.emplace_back(module->shared_cycles());
  }
  registers_ = add("registers", "registers held per register", spec.limits.registers, registers);
  shared_memory_ =
      add("shared_memory", "shared memory held per byte", spec.limits.shared_bytes, shared_memory);
  CounterList schedulable;
  for (const SmCore* core : cores) schedulable.emplace_back(core->accounts().schedulable());
  schedulable_warps_ =
      &gpu.add_formula("schedulable_warps", "warp",
                       "warps of an SM that its schedulers could choose from, those at a barrier "
                       "left out, while a kernel was on the engine",
                       schedulable, {active}, 1.0 / spec.count);
  CounterList misses;
  CounterList accesses;
  for (const SmCore* core : cores) {
    misses.emplace_back(core->stats().totals().counter(&KernelCounts::l1_misses));
    accesses.emplace_back(core->stats().totals().counter(&KernelCounts::l1_accesses));
  }
  l1_miss_rate_ =
      &gpu.add_formula("l1_miss_rate", "1", "lines asked for at L2 per access of L1", misses, accesses);
  registers_hit_rate_ = add_hit_rate("registers", ManagedResource::kRegisters, cores, gpu);
  shared_memory_hit_rate_ = add_hit_rate("shared_memory", ManagedResource::kSharedMemory, cores, gpu);
  registers_use_ = add_use("registers", &ResourceUse::registers, cores, gpu);
  shared_memory_use_ = add_use("shared_memory", &ResourceUse::shared_memory, cores, gpu);
}

}  // namespace heddle
