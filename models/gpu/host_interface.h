#pragma once
// The HostInterface has the blocks between the host and the execution engine: command queues, dispatcher,
// PCIe link and DMA engines. It is a part of models/gpu/gpu.

#include <functional>
#include <memory>
#include <vector>

#include "models/core/memory/device_memory.h"
#include "models/gpu/gpu_spec.h"
#include "models/host/command_queues.h"
#include "models/host/dispatcher.h"
#include "models/host/dma_engine.h"
#include "models/host/pcie_link.h"
#include "models/rtl/roles/rtl_policies.h"
#include "models/stats/group.h"

namespace heddle {

class ExecutionEngine;

class HostInterface {
 public:
  struct Deps {
    ClockDomain& pcie;
    RtlPolicies& policies;                     // makes the policies of the DMA engines
    std::vector<DeviceMemory>& device_memory;  // by context
    bool shares_bandwidth;                     // DMA engines are told their shares of bandwidth
    std::function<void()> update_stats;        // called before a host reads a counter
    LinkTurns* link_turns = nullptr;           // null: no other GPU shares the PCIe lanes
  };
  // `spec` must outlive the blocks.
  HostInterface(const GpuSpec& spec, Deps deps);

  // Appends to `steps` the functions that make the blocks of the host interface. The caller calls each of
  // them once, in any order, inside the constructor of a module.
  void add_steps(std::vector<std::function<void()>>& steps);
  void bind(ExecutionEngine& engine);  // all blocks have been made

  CommandQueues& queues() { return *queues_; }
  tlm::tlm_initiator_socket<>& system() { return link_->system(); }
  void observe(TransferObserver& observer) {
    for (const auto& engine : dma_) engine->observe(observer);
  }
  void observe(CommandObserver& observer) { dispatcher_->observe(observer); }

  void reset();
  void reset_policies();
  bool idle() const;
  bool copies_idle() const;  // whether no copy is under way

  void add_command_stats(Group& gpu);  // of queues, dispatcher and link
  void add_copy_stats(Group& gpu);     // of the DMA engines
  void update_stats() { link_->update_stats(); }

 private:
  std::uint64_t shares_in_flight() const;

  const GpuSpec& spec_;
  const Deps deps_;
  std::unique_ptr<CommandArbiter> command_arbiter_;
  std::vector<std::unique_ptr<DmaArbiter>> dma_arbiters_;  // one per DMA engine, because policies have state
  std::unique_ptr<CommandQueues> queues_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<PcieLink> link_;
  std::vector<std::unique_ptr<DmaEngine>> dma_;
};

}  // namespace heddle
