#include "models/gpu/gpu.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/gpu/peak_power.h"

namespace heddle {

namespace {

// Messages with shares of bandwidth take the issue latency, and there may be one in each of its cycles.
constexpr std::uint64_t kMostShareLatency = 4096;

constexpr std::uint32_t kLoadsConstants = 90;  // compute capability since which instructions load constants

bool saves_live_registers(const GpuSpec& spec) {
  return PolicyRegistry<Preemption>::make(spec.policies.at(Preemption::kDecision))->saves_live_registers();
}

// Returns options with phase specifiers if the resource manager asks for them, with the branches of traces if
// they cost cycles, and with control bits if the SMs follow them.
CodeOptions code_options_of(const GpuSpec& spec) {
  const auto manager = make_resource_manager(spec);
  const ExecutionSpec* const execution = spec.sm.execution();
  CodeForm form = execution != nullptr ? execution->code : CodeForm{};
  if (form.schedule == CodeSchedule::kPtxasLike && spec.compute_capability >= kLoadsConstants)
    form.schedule = CodeSchedule::kPtxasLike90;
  form.uniform_datapath = execution != nullptr && execution->unit(UnitKind::kUniform).count > 0;
  return {manager && manager->uses_phases(),
          form,
          execution != nullptr && execution->branch_latency > 0,
          execution != nullptr && execution->follows_control_bits,
          spec.compute_capability >= CodeOptions::kIndependentThreads,
          saves_live_registers(spec)};
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
  spec.engine.gpcs = spec.sm.gpcs();
  ExecutionSpec* const execution = spec.sm.execution();
  if (execution != nullptr && throttle.reads_stalls()) execution->kernel_stalls = true;
  if (execution != nullptr) execution->saves_live_registers = saves_live_registers(spec);
  if (const auto manager = make_resource_manager(spec)) {
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
      spec_(with_policies(spec, *throttle_)),
      code_options_(code_options_of(spec)),
      device_memory_(spec.engine.contexts),
      meter_(spec.engine.contexts),
      watchdog_(spec.stall_limit),
      stats_(basename()) {
  core_ = std::make_unique<ClockDomain>("core", spec.core_hz);
  pcie_ = std::make_unique<ClockDomain>("pcie", spec.pcie_hz, *core_);
  partitioner_ = rtl_.sm_partitioner();
  preemption_ = PolicyRegistry<Preemption>::make(spec.policies.at(Preemption::kDecision));
  shares_bandwidth_ =
      !spec_.sm.executes() && (preemption_->answers(Handover::kSwitch) || spec_.bandwidth.kernels);
  interface_ = std::make_unique<HostInterface>(
      spec_, HostInterface::Deps{*pcie_, rtl_, device_memory_, shares_bandwidth_, [this] { update_stats(); },
                                 options.link_turns});
  sms_ = std::make_unique<SmArray>(spec_, spec.sm.limits,
                                   SmArray::Deps{*core_, rtl_, options.programs, meter_,
                                                 shares_bandwidth_ ? spec_.engine.block_issue_latency : 0});
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
  launches_ = std::make_unique<LaunchAccounts>(*core_, *engine_, sms_->cores(), memory_.get());
  // The method is called after the ticks of the cycle in which a launch ends.
  SC_HAS_PROCESS(Gpu);
  SC_METHOD(close_launches);
  dont_initialize();
  sensitive << launches_->launch_ended();
}

void Gpu::build(const GpuOptions& options) {
  std::vector<std::function<void()>> steps;
  interface_->add_steps(steps);
  steps.emplace_back([this] {
    engine_ = std::make_unique<ExecutionEngine>("engine", spec_.engine, spec_.sm.limits, spec_.sm.count,
                                                engine_deps());
  });
  for (std::uint32_t i = 0; i < spec_.sm.count; ++i) steps.emplace_back([this, i] { sms_->make(i); });
  if (spec_.sm.executes())
    steps.emplace_back([this, &options] {
      memory_ = std::make_unique<MemoryPath>(spec_, *core_, rtl_, options.build_reversed, options.taps);
    });
  if (options.build_reversed) std::reverse(steps.begin(), steps.end());
  for (const auto& step : steps) step();
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

void Gpu::bind(const GpuOptions& options) {
  interface_->bind(*engine_);
  for (std::uint32_t i = 0; i < spec_.sm.count; ++i)
    if (options.bind_dispatch)
      options.bind_dispatch(i, engine_->sms[i], (*sms_)[i].dispatch);
    else
      engine_->sms[i].bind((*sms_)[i].dispatch);
  if (memory_ == nullptr) return;
  if (spec_.memory->l2.copies_stay) interface_->observe(*memory_);
  sms_->bind(*memory_, watchdog_);
  memory_->watch(watchdog_);
}

void Gpu::trace(TraceObserver& observer) {
  sms_->trace(observer);
  if (memory_) memory_->trace(observer);
}

void Gpu::collect_stats() {
  for (ClockDomain* clock : {core_.get(), pcie_.get()}) {
    clock_stats_.push_back(std::make_unique<ClockStats>(*clock));
    stats_.attach(clock_stats_.back()->group());
  }
  interface_->add_command_stats(stats_);
  stats_.attach(engine_->stats());
  interface_->add_copy_stats(stats_);
  sms_->add_stats(stats_, engine_->active_cycles());
  if (memory_) memory_->add_stats(stats_, sms_->instructions());
  if (rtl_.any()) stats_.attach(rtl_.stats());
  if (memory_ && spec_.energy)
    energy_ = std::make_unique<EnergyStats>(*spec_.energy, energy_machine(spec_), stats_,
                                            clock_stats_.front()->cycles());
  interface_->queues().show_counters(stats_);
}

void Gpu::reset() {
  core_->reset();
  reset_policies();
  interface_->reset();
  engine_->reset();
  sms_->reset();
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
  interface_->reset_policies();
}

void Gpu::update_stats() {
  for (const auto& clock : clock_stats_) clock->update();
  interface_->update_stats();
  engine_->update_stats();
  sms_->update_stats(core_->now());
  if (memory_) memory_->update_stats();
  if (energy_) energy_->update();
}

Group& Gpu::stats() {
  update_stats();
  return stats_;
}

bool Gpu::idle() const {
  return interface_->idle() && engine_->idle() && sms_->idle() && (memory_ == nullptr || memory_->idle());
}

}  // namespace heddle
