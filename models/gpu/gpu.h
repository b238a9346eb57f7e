#pragma once
// A Gpu builds every block from a platform's spec and binds the blocks: the host interface, the execution
// engine, the SMs and the memory path.
//
//   GpuSpec spec = load_platform("k20-cusched");
//   Gpu gpu("gpu", spec);
//   cpu.initiator.bind(gpu.mmio());        // registers and counters: models/host/register_map.h
//   gpu.system().bind(memory.socket);      // command rings, fences, DMA
//   gpu.device_memory()[context].allocate(bytes, "data");  // for the driver, before it copies there
//
// The blocks of a timed SM last as long as their launch states. Cycle SMs execute instructions, and need to
// know where those come from:
//
//   ProgramLibrary programs;                // models/core/kernel/program_library.h
//   GpuOptions options;
//   options.programs = &programs;
//   Gpu gpu("gpu", spec, options);
//   gpu.observe(programs);                  // closes a program when its launch has ended
//   programs.add_application({open});       // the kernels of context 0, by the tags of their launches
//
// GpuOptions can put a module between the engine and the `dispatch` sockets of the SMs.

#include <functional>
#include <memory>
#include <vector>

#include "models/core/kernel/code_options.h"
#include "models/energy/energy_stats.h"
#include "models/engine/execution_engine.h"
#include "models/gpu/clock_stats.h"
#include "models/gpu/gpu_spec.h"
#include "models/gpu/host_interface.h"
#include "models/gpu/host_threads.h"
#include "models/gpu/launch_accounts.h"
#include "models/gpu/memory_path.h"
#include "models/gpu/sm_array.h"
#include "models/rtl/roles/rtl_policies.h"
#include "models/stats/group.h"

namespace heddle {

struct GpuOptions {
  // The instructions of the kernels of each context. Cycle SMs require it, and timed SMs ignore it. It
  // outlives the GPU, which does not own it; the owner lets it observe the GPU. Applications may be added
  // until their first launch.
  ProgramLibrary* programs = nullptr;
  bool build_reversed = false;  // constructs the blocks in reverse order; results do not depend on it
  // Binds the dispatch sockets of the engine and of SM `sm` to a module between them. If it is empty, the two
  // sockets are bound to each other.
  std::function<void(std::uint32_t sm, RequestSocket<SmRequest, SmReply>& engine,
                     ReplySocket<SmRequest, SmReply>& unit)>
      bind_dispatch;
  std::vector<MemoryTapPlace> taps;  // require cycle SMs
  // Sees what happens to the warps that it follows, and to their requests; requires cycle SMs. Null: nobody
  // does. The results are the same. It outlives the GPU, which does not own it.
  TraceObserver* trace = nullptr;
  // Cycle SMs, L2 slices and channels work on its threads in cycles in which at least `fewest_shared` of them
  // are due; null: on one. The results are the same. It outlives the GPU, which does not own it.
  WorkerPool* pool = nullptr;
  std::size_t fewest_shared = kFewestShared;
  WorkMeter* meter = nullptr;  // of the same work; null: none
  // The turns of all GPUs that share the PCIe lanes of this one; null: no other GPU shares them. The object
  // outlives the GPU, which does not own it.
  LinkTurns* link_turns = nullptr;
};

class Gpu : public sc_core::sc_module {
 public:
  Gpu(sc_core::sc_module_name name, const GpuSpec& spec, const GpuOptions& options = {});

  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 0, sc_core::SC_ZERO_OR_MORE_BOUND>& mmio() {
    return interface_->queues().mmio;
  }
  tlm::tlm_initiator_socket<>& system() { return interface_->system(); }

  void observe(EngineObserver& observer) { engine_->observe(observer); }
  void observe(TransferObserver& observer) { interface_->observe(observer); }
  void observe(CommandObserver& observer) { interface_->observe(observer); }

  // Halts the context when it has issued this number of warp instructions, 1 or more. It has no effect on
  // timed SMs. The call is made before the start of simulation.
  void halt_at(ContextId context, std::uint64_t instructions) { meter_.set_target(context, instructions); }
  // Halts every context when kernels have been resident for this number of core cycles, 1 or more.
  void halt_after(std::uint64_t active_cycles) { engine_->halt_after(active_cycles); }
  // Sets the sets of SMs that the context's launches may name; see SmDriver.
  void set_sm_sets(ContextId context, std::vector<std::vector<bool>> sets) {
    engine_->set_sm_sets(context, std::move(sets));
  }
  // Returns the warp instructions that the context has issued so far. It is 0 on timed SMs.
  std::uint64_t instructions(ContextId context) const { return meter_.count(context); }

  const GpuSpec& spec() const { return spec_; }
  const CodeOptions& code_options() const { return code_options_; }  // of the kernels' programs
  const ClockDomain& core() const { return *core_; }
  const ClockDomain& pcie() const { return *pcie_; }
  void go_ahead_until(const sc_core::sc_time& limit) { core_->go_ahead_until(limit); }  // see ClockDomain
  const SmDriver& driver() const { return engine_->driver(); }
  // What each launch has caused; valid after stats().
  LaunchAccounts& launches() { return *launches_; }
  SmPartitioner& partitioner() { return *partitioner_; }
  const BlockThrottle& throttle() const { return *throttle_; }
  const Preemption& preemption() const { return *preemption_; }
  bool copies_idle() const { return interface_->copies_idle(); }  // whether no copy is under way
  bool idle() const;                                              // whether nothing is in flight in any block
  const RtlPolicies& rtl() const { return rtl_; }                 // the blocks in RTL

  // Drops everything in flight in every block, and makes the present time cycle 0 of every clock. A run that
  // follows gives the statistics of a new GPU. Observers, targets and limits stay. The memory bound to
  // `system` is reset by its owner at the same time. The call is made while no process runs: before or
  // between calls of sc_start().
  void reset();

  // Returns an empty text unless there is a deadlock: SMs and memory hold work, and for `stall_limit` core
  // cycles no instruction has been issued and no load or store answered. The text of a deadlock says what
  // each block waits for. The owner calls the function at regular intervals.
  std::string check_progress() { return watchdog_.check(core_->now()); }
  // Returns a line for each SM and each block of the memory path that is not idle. Each line follows a line
  // feed, and says what the block waits for.
  std::string waiting() const { return watchdog_.waiting(); }
  // Returns the device memory of each context, in which the driver allocates. A copy to or from an
  // unallocated address is a broken invariant.
  std::vector<DeviceMemory>& device_memory() { return device_memory_; }
  const MemoryPath* memory() const { return memory_.get(); }  // null if the SMs are timed

  // Returns the statistics, with all cycles up to the present accounted. Paths start with the GPU's name.
  Group& stats();
  // These single statistics have the values of the last call of stats().
  const Counter& active_cycles() const { return engine_->active_cycles(); }  // cycles with a resident kernel
  const Formula& occupancy() const { return sms_->occupancy(); }
  const Formula& fill() const { return sms_->fill(); }
  const SmTotals* sm_totals() const { return sms_->totals(); }            // null if the SMs are timed
  const Utilisation* utilisation() const { return sms_->utilisation(); }  // null if the SMs are timed
  EnergyStats* energy() const { return energy_.get(); }                   // null without GpuSpec::energy

 private:
  void build(const GpuOptions& options);
  std::size_t context_updates() const;
  ExecutionEngine::Deps engine_deps() const;
  void bind(const GpuOptions& options);
  void trace(TraceObserver& observer);
  void close_launches() { launches_->close_ended(); }
  void collect_stats();
  void reset_policies();
  void update_stats();

  RtlPolicies rtl_;
  const std::unique_ptr<BlockThrottle> throttle_;
  const GpuSpec spec_;  // with the limits of the resource manager
  const CodeOptions code_options_;
  std::unique_ptr<ClockDomain> core_;
  std::unique_ptr<ClockDomain> pcie_;
  std::vector<std::unique_ptr<ClockStats>> clock_stats_;
  std::unique_ptr<SmPartitioner> partitioner_;
  std::unique_ptr<Preemption> preemption_;
  bool shares_bandwidth_ = false;            // timed SMs and DMA engines are told their shares of bandwidth
  std::vector<DeviceMemory> device_memory_;  // by context
  InstructionMeter meter_;
  std::unique_ptr<HostInterface> interface_;
  std::unique_ptr<ExecutionEngine> engine_;
  std::unique_ptr<SmArray> sms_;
  std::unique_ptr<MemoryPath> memory_;
  std::unique_ptr<LaunchAccounts> launches_;
  std::unique_ptr<EnergyStats> energy_;
  Watchdog watchdog_;
  Group stats_;
};

}  // namespace heddle
