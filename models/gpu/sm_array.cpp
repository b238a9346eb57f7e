#include "models/gpu/sm_array.h"

#include <algorithm>

#include "models/core/base/check.h"
#include "models/sm/cycle_sm.h"
#include "models/sm/spec/cycle_spec.h"
#include "models/sm/timed_sm.h"

namespace heddle {

namespace {

std::string name_of(std::uint32_t sm) {
  return "sm" + std::to_string(sm);
}

}  // namespace

std::unique_ptr<ResourceManager> make_resource_manager(const GpuSpec& spec) {
  if (!spec.sm.executes()) return nullptr;
  return PolicyRegistry<ResourceManager>::make(spec.policies.at(ResourceManager::kDecision));
}

SmArray::SmArray(const GpuSpec& spec, const SmLimits& physical, const Deps& deps)
    : spec_(spec), physical_(physical), deps_(deps), sms_(spec.sm.count) {
  if (spec.sm.executes()) executors_.resize(spec.sm.count);
}

void SmArray::make(std::uint32_t sm) {
  sms_[sm] = std::visit([&](const auto& model) { return make(model, sm); }, spec_.sm.model);
}

std::unique_ptr<SmModule> SmArray::make(const TimedSmSpec&, std::uint32_t sm) {
  return std::make_unique<TimedSm>(name_of(sm).c_str(), spec_.sm, spec_.engine.ksrs,
                                   spec_.engine.set_up_cycles_on_sm(), deps_.core, deps_.shares_in_flight);
}

std::unique_ptr<SmModule> SmArray::make(const Boxed<CycleSmSpec>& model, std::uint32_t sm) {
  const std::string name = name_of(sm);
  HEDDLE_CHECK(deps_.programs != nullptr, name.c_str(), Cycle{},
               "cycle SMs execute programs: GpuOptions::programs is null");
  CycleSm::Deps deps{deps_.core, *deps_.programs, deps_.meter, {}, make_resource_manager(spec_)};
  if (deps.manager->manages())
    deps.manager->attach(physical_, spec_.sm.faults);
  else
    deps.manager.reset();
  for (std::uint32_t i = 0; i < model->schedulers; ++i)
    deps.schedulers.push_back(
        deps_.policies.warp_scheduler(name + ".scheduler" + std::to_string(i), spec_.sm.limits.warps));
  auto made = std::make_unique<CycleSm>(name.c_str(), spec_.sm, sm, spec_.engine.ksrs,
                                        spec_.engine.set_up_cycles_on_sm(), std::move(deps));
  CycleSm* const unit = made.get();
  executors_[sm] = {&unit->logic(),
                    &unit->memory(),
                    unit,
                    {unit->basename(), [unit] { return unit->progress(); }, [unit] { return unit->idle(); },
                     [unit] { return unit->waiting_for(); }}};
  return made;
}

void SmArray::bind(MemoryPath& memory, Watchdog& watchdog) {
  for (std::uint32_t i = 0; i < executors_.size(); ++i) {
    cores_.push_back(executors_[i].core);
    memory.bind_sm(i, *executors_[i].memory);
    watchdog.watch(executors_[i].watched);
  }
  if (spec_.sm.cluster.exists() && !executors_.empty()) bind_clusters();
}

void SmArray::bind_clusters() {
  const GpcMap gpcs = spec_.sm.gpcs();
  std::vector<std::vector<SmId>> members(gpcs.gpcs);
  for (std::uint32_t sm = 0; sm < spec_.sm.count; ++sm) members[gpcs.gpc_of(SmId{sm})].push_back(SmId{sm});
  for (const std::vector<SmId>& sms : members) {
    networks_.push_back(
        std::make_unique<ClusterNetwork>(("cluster_network" + std::to_string(networks_.size())).c_str(), sms,
                                         spec_.sm.cluster.latency, spec_.sm.cluster.interval, deps_.core));
    for (std::size_t i = 0; i < sms.size(); ++i)
      executors_[sms[i].value].unit->cluster().bind(networks_.back()->sms[i]);
  }
}

void SmArray::trace(TraceObserver& observer) {
  for (std::uint32_t i = 0; i < cores_.size(); ++i) cores_[i]->trace(observer, i, spec_.sm.count);
}

void SmArray::reset() {
  for (const auto& sm : sms_) sm->reset();
  for (const auto& network : networks_) network->reset();
}

bool SmArray::idle() const {
  return std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->idle(); }) &&
         std::all_of(networks_.begin(), networks_.end(), [](const auto& network) { return network->idle(); });
}

void SmArray::add_stats(Group& gpu, const Counter& active) {
  CounterList busy;
  CounterList resident;
  CounterList slots;
  for (const auto& sm : sms_) {
    gpu.attach(sm->stats());
    busy.push_back(sm->busy_cycles());
    resident.push_back(sm->block_cycles());
    slots.push_back(sm->slot_cycles());
  }
  occupancy_ = &gpu.add_formula("occupancy", "1",
                                "share of SM time with a block resident, while a kernel was on the engine",
                                busy, {active}, 1.0 / spec_.sm.count);
  fill_ =
      &gpu.add_formula("fill", "1", "resident blocks per block that would fit, over the busy time of all SMs",
                       resident, slots);
  if (cores_.empty()) return;
  totals_ = std::make_unique<SmTotals>(cores_, gpu);
  utilisation_ = std::make_unique<Utilisation>(spec_.sm, sms_, cores_, active, gpu);
}

void SmArray::update_stats(Cycle now) {
  for (const auto& sm : sms_) sm->update_stats(now);
  if (totals_) totals_->update();
}

CounterList SmArray::instructions() const {
  CounterList instructions;
  for (const SmCore* core : cores_)
    instructions.emplace_back(core->stats().totals().counter(&KernelCounts::warp_instructions));
  return instructions;
}

}  // namespace heddle
