#include "models/gpu/gpu.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/gpu/peak_power.h"

namespace heddle {

namespace {

// These are the ports of the PCIe link. A lower port has priority over a higher one.
enum LinkPort : std::uint32_t { kQueuesPort, kDispatcherPort, kFirstDmaPort };

// Messages with shares of bandwidth take the issue latency, and there may be one in each of its cycles.
constexpr std::uint64_t kMostShareLatency = 4096;

std::unique_ptr<ResourceManager> make_manager(const GpuSpec& spec) {
  if (!spec.sm.executes()) return nullptr;
  return PolicyRegistry<ResourceManager>::make(spec.policies.at(ResourceManager::kDecision));
}

bool asks_for_phases(const GpuSpec& spec) {
  const auto manager = make_manager(spec);
  return manager && manager->uses_phases();
}

// Returns the bytes that one SM can store in a core cycle while all SMs do so: its share of the peak
// bandwidth of the DRAM, and on a cycle SM no more than its port of the crossbar takes with whole lines.
double save_bytes_per_cycle(const GpuSpec& spec) {
  const double sms = spec.core_hz * spec.sm.count;
  if (!spec.sm.executes()) return spec.bandwidth.dram_bytes_per_second / sms;
  const MemoryPathSpec& memory = *spec.memory;
  const double share = memory.peak_bytes_per_second() / sms;
  const double port =
      static_cast<double>(kLineBytes) / memory.noc.flits(kLineBytes) * memory.icnt_hz / spec.core_hz;
  return std::min(share, port);
}

// Returns the spec with SMs that count what the throttle reads, and that take what the resource manager
// allows.
GpuSpec with_policies(GpuSpec spec, const BlockThrottle& throttle) {
  spec.sm.may_flush =
      PolicyRegistry<Preemption>::make(spec.policies.at(Preemption::kDecision))->answers(Handover::kFlush);
  spec.engine.save_bytes_per_cycle = save_bytes_per_cycle(spec);
  ExecutionSpec* const execution = spec.sm.execution();
  if (execution != nullptr && throttle.reads_stalls()) execution->kernel_stalls = true;
  if (const auto manager = make_manager(spec)) {
    spec.sm.limits = manager->limits(spec.sm.limits);
    if (manager->maps()) execution->kernel_stalls = true;
    spec.sm.add_mapping_stage(manager->mapping_cycles());
  }
  return spec;
}

}  // namespace

Gpu::Gpu(sc_core::sc_module_name name, const GpuSpec& spec, const GpuOptions& options)
    : sc_core::sc_module(name),
      rtl_(spec.policies, spec.rtl_in_use(), spec.rtl, spec.clocks()),
      throttle_(rtl_.block_throttle("throttle")),
      physical_(spec.sm.limits),
      spec_(with_policies(spec, *throttle_)),
      uses_phases_(asks_for_phases(spec)),
      device_memory_(spec.engine.contexts),
      meter_(spec.engine.contexts),
      dma_(spec.dma.engines),
      sms_(spec.sm.count),
      watchdog_(spec.stall_limit),
      stats_(basename()) {
  core_ = std::make_unique<ClockDomain>("core", spec.core_hz);
  pcie_ = std::make_unique<ClockDomain>("pcie", spec.pcie_hz, *core_);
  partitioner_ = rtl_.sm_partitioner();
  preemption_ = PolicyRegistry<Preemption>::make(spec.policies.at(Preemption::kDecision));
  shares_bandwidth_ =
      !spec_.sm.executes() && (preemption_->answers(Handover::kSwitch) || spec_.bandwidth.kernels);
  command_arbiter_ = PolicyRegistry<CommandArbiter>::make(spec.policies.at(CommandArbiter::kDecision));
  for (std::size_t i = 0; i < dma_.size(); ++i)
    dma_arbiters_.push_back(rtl_.dma_arbiter("dma" + std::to_string(i), spec.dma.transfers));
  meter_.on_reached([this](ContextId context) { engine_->halt(context); });
  build(options);
  rtl_.check_instances();
  if (options.pool != nullptr && memory_ != nullptr) {
    core_->share(*options.pool, options.fewest_shared);
    memory_->share(*options.pool, options.fewest_shared);
  }
  if (options.meter != nullptr && memory_ != nullptr) {
    core_->measure(*options.meter);
    memory_->measure(*options.meter);
  }
  bind(options);
  if (options.trace != nullptr) trace(*options.trace);
  collect_stats();
  launches_ = std::make_unique<LaunchAccounts>(*engine_, cores_, memory_.get());
  // The method is called after the ticks of the cycle in which a launch ends.
  SC_HAS_PROCESS(Gpu);
  SC_METHOD(close_launches);
  dont_initialize();
  sensitive << launches_->launch_ended();
}

void Gpu::build(const GpuOptions& options) {
  std::vector<std::function<void()>> steps;
  steps.emplace_back([this] {
    const sc_core::sc_time latency(static_cast<double>(spec_.host.mmio_latency_ps), sc_core::SC_PS);
    queues_ = std::make_unique<CommandQueues>(
        "queues", spec_.queues,
        CommandQueues::Deps{*pcie_, spec_.engine.contexts, spec_.sm.count, spec_.sm.limits,
                            !spec_.sm.executes(), latency, [this] { update_stats(); }});
  });
  steps.emplace_back([this] {
    dispatcher_ = std::make_unique<Dispatcher>(
        "dispatcher", spec_.queues, spec_.dma,
        Dispatcher::Deps{*pcie_, *command_arbiter_, spec_.engine.contexts, spec_.engine.ksrs});
  });
  steps.emplace_back([this] {
    link_ = std::make_unique<PcieLink>("link", spec_.pcie, kFirstDmaPort + spec_.dma.engines, *pcie_);
  });
  for (std::uint32_t i = 0; i < dma_.size(); ++i)
    steps.emplace_back([this, i] {
      dma_[i] =
          std::make_unique<DmaEngine>(("dma" + std::to_string(i)).c_str(), spec_.dma, spec_.pcie.burst_bytes,
                                      DmaEngine::Deps{*pcie_, *dma_arbiters_[i], device_memory_,
                                                      shares_in_flight(), spec_.pcie.bytes_per_cycle(), i});
    });
  steps.emplace_back([this] {
    engine_ = std::make_unique<ExecutionEngine>("engine", spec_.engine, spec_.sm.limits, spec_.sm.count,
                                                engine_deps());
  });
  for (std::uint32_t i = 0; i < sms_.size(); ++i)
    steps.emplace_back([this, i, &options] { sms_[i] = make_sm(i, options); });
  if (spec_.sm.executes())
    steps.emplace_back([this, &options] {
      memory_ = std::make_unique<MemoryPath>(spec_, *core_, rtl_, options.build_reversed, options.taps);
    });
  if (options.build_reversed) std::reverse(steps.begin(), steps.end());
  for (const auto& step : steps) step();
}

std::unique_ptr<SmModule> Gpu::make_sm(std::uint32_t i, const GpuOptions& options) {
  const std::string name = "sm" + std::to_string(i);
  if (!spec_.sm.executes())
    return std::make_unique<TimedSm>(name.c_str(), spec_.sm, spec_.engine.ksrs,
                                     spec_.engine.set_up_cycles_on_sm(), *core_,
                                     shares_bandwidth_ ? spec_.engine.block_issue_latency : 0);
  HEDDLE_CHECK(options.programs != nullptr, basename(), Cycle{},
               "cycle SMs execute programs: GpuOptions::programs is null");
  CycleSm::Deps deps{*core_, *options.programs, meter_, {}, make_manager(spec_)};
  if (deps.manager->manages())
    deps.manager->attach(physical_, spec_.sm.faults);
  else
    deps.manager.reset();
  for (std::uint32_t s = 0; s < spec_.sm.execution()->schedulers; ++s)
    deps.schedulers.push_back(
        rtl_.warp_scheduler(name + ".scheduler" + std::to_string(s), spec_.sm.limits.warps));
  return std::make_unique<CycleSm>(name.c_str(), spec_.sm, i, spec_.engine.ksrs,
                                   spec_.engine.set_up_cycles_on_sm(), std::move(deps));
}

// Returns the capacity for context updates: one for each context and each PCIe cycle within two core cycles.
std::size_t Gpu::context_updates() const {
  return spec_.engine.contexts * (2 + static_cast<std::size_t>(2 * spec_.pcie_hz / spec_.core_hz));
}

ExecutionEngine::Deps Gpu::engine_deps() const {
  ExecutionEngine::Deps deps{*core_, *partitioner_, *throttle_, *preemption_, context_updates()};
  if (!shares_bandwidth_) return deps;
  HEDDLE_CHECK(spec_.engine.block_issue_latency <= kMostShareLatency, basename(), Cycle{},
               "SMs are told shares of bandwidth with a block issue latency of at most {} cycles, not {}",
               kMostShareLatency, spec_.engine.block_issue_latency);
  const double ratio = spec_.pcie_hz / spec_.core_hz;  // PCIe cycles in a core cycle
  deps.bandwidth = spec_.bandwidth;
  deps.copies = spec_.dma.engines;
  deps.copy_demands = 2 + static_cast<std::size_t>(2 * ratio);
  deps.copy_latency = 1 + static_cast<std::uint64_t>(
                              std::ceil(static_cast<double>(spec_.engine.block_issue_latency) * ratio));
  return deps;
}

// Returns the most answers to a DMA engine's demands in flight: one for each core cycle of their latency.
std::uint64_t Gpu::shares_in_flight() const {
  if (!shares_bandwidth_) return 0;
  const double ratio = spec_.core_hz / spec_.pcie_hz;  // core cycles in a PCIe cycle
  return spec_.engine.block_issue_latency + 2 + static_cast<std::uint64_t>(std::ceil(2 * ratio));
}

void Gpu::bind(const GpuOptions& options) {
  queues_->commands.bind(dispatcher_->commands);
  queues_->contexts.bind(engine_->contexts);
  queues_->memory().bind(link_->port(kQueuesPort));
  dispatcher_->launches.bind(engine_->launches);
  dispatcher_->memory().bind(link_->port(kDispatcherPort));
  for (std::uint32_t i = 0; i < dma_.size(); ++i) {
    dispatcher_->transfers[i].bind(dma_[i]->transfers);
    dma_[i]->memory().bind(link_->port(kFirstDmaPort + i));
    if (shares_bandwidth_) dma_[i]->bandwidth()->bind(engine_->copies[i]);
  }
  for (std::uint32_t i = 0; i < sms_.size(); ++i) {
    if (options.bind_dispatch)
      options.bind_dispatch(i, engine_->sms[i], sms_[i]->dispatch);
    else
      engine_->sms[i].bind(sms_[i]->dispatch);
    if (memory_ == nullptr) continue;
    auto* sm = static_cast<CycleSm*>(sms_[i].get());
    cores_.push_back(&sm->logic());
    sm->memory().bind(memory_->sm(i));
    watchdog_.watch({sm->basename(), [sm] { return sm->progress(); }, [sm] { return sm->idle(); },
                     [sm] { return sm->waiting_for(); }});
  }
  if (memory_) memory_->watch(watchdog_);
}

void Gpu::trace(TraceObserver& observer) {
  for (std::uint32_t i = 0; i < cores_.size(); ++i) cores_[i]->trace(observer, i, spec_.sm.count);
  if (memory_) memory_->trace(observer);
}

void Gpu::collect_stats() {
  for (ClockDomain* clock : {core_.get(), pcie_.get()}) {
    clock_stats_.push_back(std::make_unique<ClockStats>(*clock));
    stats_.attach(clock_stats_.back()->group());
  }
  stats_.attach(queues_->stats());
  stats_.attach(dispatcher_->stats());
  stats_.attach(link_->stats());
  stats_.attach(engine_->stats());
  for (const auto& dma : dma_) stats_.attach(dma->stats());
  CounterList busy;
  CounterList resident;
  CounterList slots;
  for (const auto& sm : sms_) {
    stats_.attach(sm->stats());
    busy.push_back(sm->busy_cycles());
    resident.push_back(sm->block_cycles());
    slots.push_back(sm->slot_cycles());
  }
  occupancy_ = &stats_.add_formula("occupancy", "1",
                                   "share of SM time with a block resident, while a kernel was on the engine",
                                   busy, {engine_->active_cycles()}, 1.0 / spec_.sm.count);
  fill_ = &stats_.add_formula("fill", "1",
                              "resident blocks per block that would fit, over the busy time of all SMs",
                              resident, slots);
  if (memory_) {
    sm_totals_ = std::make_unique<SmTotals>(cores_, stats_);
    utilisation_ = std::make_unique<Utilisation>(spec_.sm, sms_, cores_, engine_->active_cycles(), stats_);
    CounterList instructions;
    for (const SmCore* core : cores_)
      instructions.emplace_back(core->stats().totals().counter(&KernelCounts::warp_instructions));
    memory_->add_stats(stats_, instructions);
  }
  if (rtl_.any()) stats_.attach(rtl_.stats());
  if (memory_ && spec_.energy)
    energy_ = std::make_unique<EnergyStats>(*spec_.energy, energy_machine(spec_), stats_,
                                            clock_stats_.front()->cycles());
  queues_->show_counters(stats_);
}

void Gpu::reset() {
  core_->reset();
  reset_policies();
  queues_->reset();
  dispatcher_->reset();
  link_->reset();
  for (const auto& dma : dma_) dma->reset();
  engine_->reset();
  for (const auto& sm : sms_) sm->reset();
  if (memory_) memory_->reset();
  for (DeviceMemory& memory : device_memory_) memory.reset();
  meter_.reset();
  watchdog_.reset();
  stats_.reset();
}

void Gpu::reset_policies() {
  rtl_.reset();
  partitioner_->reset();
  throttle_->reset();
  preemption_->reset();
  command_arbiter_->reset();
  for (const auto& arbiter : dma_arbiters_) arbiter->reset();
}

void Gpu::update_stats() {
  for (const auto& clock : clock_stats_) clock->update();
  link_->update_stats();
  engine_->update_stats();
  for (const auto& sm : sms_) sm->update_stats();
  if (memory_) {
    sm_totals_->update();
    memory_->update_stats();
  }
  if (energy_) energy_->update();
}

Group& Gpu::stats() {
  update_stats();
  return stats_;
}

bool Gpu::copies_idle() const {
  return std::all_of(dma_.begin(), dma_.end(), [](const auto& dma) { return dma->idle(); });
}

bool Gpu::idle() const {
  return queues_->idle() && dispatcher_->idle() && link_->idle() && engine_->idle() &&
         (memory_ == nullptr || memory_->idle()) &&
         std::all_of(dma_.begin(), dma_.end(), [](const auto& dma) { return dma->idle(); }) &&
         std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->idle(); });
}

}  // namespace heddle
