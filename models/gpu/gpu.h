#pragma once
// One GPU: builds every block from a platform's spec and binds them. The only file that knows them all.
//
//   GpuSpec spec = load_platform("k20-cusched");
//   Gpu gpu("gpu", spec);
//   cpu.initiator.bind(gpu.mmio());        // registers and counters: models/host/register_map.h
//   gpu.system().bind(memory.socket);      // command rings, fences, DMA
//   gpu.device_memory()[context].allocate(bytes, "data");  // for the driver, before it copies there
//
// Between engine and SMs `dispatch` may be tapped: see GpuOptions.

#include <functional>
#include <memory>
#include <vector>

#include "models/engine/execution_engine.h"
#include "models/gpu/clock_stats.h"
#include "models/gpu/gpu_spec.h"
#include "models/gpu/memory_path.h"
#include "models/gpu/ratio.h"
#include "models/gpu/sm_totals.h"
#include "models/gpu/utilisation.h"
#include "models/host/command_queues.h"
#include "models/host/dispatcher.h"
#include "models/host/dma_engine.h"
#include "models/host/pcie_link.h"
#include "models/sm/cycle_sm.h"
#include "models/sm/timed_sm.h"
#include "models/stats/group.h"

namespace heddle {

struct GpuOptions {
  ProgramLibrary* programs = nullptr;  // what kernels execute; cycle SMs need it
  bool build_reversed = false;         // construct the blocks in reverse order; results must not depend on it
  // Binds engine and SM, where someone wants to stand between them; left empty they are bound to each other.
  std::function<void(std::uint32_t sm, RequestSocket<SmRequest, SmReply>& engine,
                     ReplySocket<SmRequest, SmReply>& unit)>
      bind_dispatch;
};

class Gpu : public sc_core::sc_module {
 public:
  Gpu(sc_core::sc_module_name name, const GpuSpec& spec, const GpuOptions& options = {});

  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 0, sc_core::SC_ZERO_OR_MORE_BOUND>& mmio() {
    return queues_->mmio;
  }
  tlm::tlm_initiator_socket<>& system() { return link_->system(); }

  void observe(EngineObserver& observer) { engine_->observe(observer); }
  void observe(TransferObserver& observer) {
    for (const auto& engine : dma_) engine->observe(observer);
  }

  // Cycle SMs: the context is halted when it has issued so many warp instructions, 1 or more. Before the
  // start.
  void halt_at(ContextId context, std::uint64_t instructions) { meter_.set_target(context, instructions); }
  // Every context is halted when a kernel has been resident for so many core cycles, 1 or more.
  void halt_after(std::uint64_t active_cycles) { engine_->halt_after(active_cycles); }
  // Warp instructions issued so far; none on timed SMs.
  std::uint64_t instructions(ContextId context) const { return meter_.count(context); }

  const GpuSpec& spec() const { return spec_; }
  const ClockDomain& core() const { return *core_; }
  const ClockDomain& pcie() const { return *pcie_; }
  const SmDriver& driver() const { return engine_->driver(); }
  SmPartitioner& partitioner() { return *partitioner_; }
  bool idle() const;  // nothing in flight in any block

  // Empty while all is well; else what waits for what, when nothing has moved in SMs and memory for
  // `stall_limit` core cycles although they hold work. To be asked now and then.
  std::string check_progress() { return watchdog_.check(core_->now()); }
  // A line for each SM and block of the memory path that is not idle, after a line feed: what it waits for.
  std::string waiting() const { return watchdog_.waiting(); }
  // By context: what its driver has allocated. A copy to or from anything else is a broken invariant.
  std::vector<DeviceMemory>& device_memory() { return device_memory_; }
  const MemoryPath* memory() const { return memory_.get(); }  // null: the SMs are timed

  // Counters as of now. Paths start with the GPU's name.
  Group& stats();

  // Single statistics, as of the latest call of stats().
  std::uint64_t active_cycles() const { return engine_->active_cycles().value(); }  // a kernel is resident
  const CounterRatio& occupancy() const { return occupancy_; }
  const CounterRatio& fill() const { return fill_; }
  const SmTotals* sm_totals() const { return sm_totals_.get(); }  // null: the SMs are timed
  const SmRatios& sm_ratios() const { return sm_ratios_; }        // of nothing where the SMs are timed

 private:
  void build(const GpuOptions& options);
  std::unique_ptr<SmModule> make_sm(std::uint32_t i, const GpuOptions& options);
  std::size_t context_updates() const;
  void bind(const GpuOptions& options);
  void collect_stats();
  void settle_stats();

  const GpuSpec spec_;
  std::unique_ptr<ClockDomain> core_;
  std::unique_ptr<ClockDomain> pcie_;
  std::vector<std::unique_ptr<ClockStats>> clock_stats_;
  std::unique_ptr<SmPartitioner> partitioner_;
  std::unique_ptr<Preemption> preemption_;
  std::unique_ptr<CommandArbiter> command_arbiter_;
  std::vector<std::unique_ptr<DmaArbiter>> dma_arbiters_;  // one per DMA engine: policies have state
  std::vector<DeviceMemory> device_memory_;                // by context
  InstructionMeter meter_;
  std::unique_ptr<CommandQueues> queues_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<PcieLink> link_;
  std::vector<std::unique_ptr<DmaEngine>> dma_;
  std::unique_ptr<ExecutionEngine> engine_;
  std::vector<std::unique_ptr<SmModule>> sms_;
  std::vector<CycleSm*> cycle_sms_;  // the same, where they are
  std::unique_ptr<MemoryPath> memory_;
  std::unique_ptr<SmTotals> sm_totals_;
  SmRatios sm_ratios_;
  CounterRatio occupancy_;
  CounterRatio fill_;
  Watchdog watchdog_;
  Group stats_;
};

}  // namespace heddle
