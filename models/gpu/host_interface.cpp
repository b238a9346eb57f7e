#include "models/gpu/host_interface.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/engine/execution_engine.h"

namespace heddle {

namespace {

// These are the ports of the PCIe link. A lower port has priority over a higher one.
enum LinkPort : std::uint32_t { kQueuesPort, kDispatcherPort, kFirstDmaPort };

}  // namespace

HostInterface::HostInterface(const GpuSpec& spec, Deps deps)
    : spec_(spec),
      deps_(std::move(deps)),
      command_arbiter_(PolicyRegistry<CommandArbiter>::make(spec.policies.at(CommandArbiter::kDecision))),
      dma_(spec.dma.engines) {
  for (std::size_t i = 0; i < dma_.size(); ++i)
    dma_arbiters_.push_back(deps_.policies.dma_arbiter("dma" + std::to_string(i), spec.dma.transfers));
}

void HostInterface::add_steps(std::vector<std::function<void()>>& steps) {
  steps.emplace_back([this] {
    const sc_core::sc_time latency(static_cast<double>(spec_.host.mmio_latency_ps), sc_core::SC_PS);
    queues_ = std::make_unique<CommandQueues>(
        "queues", spec_.queues,
        CommandQueues::Deps{deps_.pcie, spec_.engine.contexts, spec_.sm.count, spec_.sm.limits,
                            !spec_.sm.executes(), latency, deps_.update_stats});
  });
  steps.emplace_back([this] {
    dispatcher_ = std::make_unique<Dispatcher>(
        "dispatcher", spec_.queues, spec_.dma,
        Dispatcher::Deps{deps_.pcie, *command_arbiter_, spec_.engine.contexts, spec_.engine.ksrs});
  });
  steps.emplace_back([this] {
    link_ = std::make_unique<PcieLink>("link", spec_.pcie, kFirstDmaPort + spec_.dma.engines, deps_.pcie,
                                       deps_.link_turns);
  });
  for (std::uint32_t i = 0; i < dma_.size(); ++i)
    steps.emplace_back([this, i] {
      dma_[i] =
          std::make_unique<DmaEngine>(("dma" + std::to_string(i)).c_str(), spec_.dma, spec_.pcie.burst_bytes,
                                      DmaEngine::Deps{deps_.pcie, *dma_arbiters_[i], deps_.device_memory,
                                                      shares_in_flight(), spec_.pcie.bytes_per_cycle(), i});
    });
}

// Returns the most answers to a DMA engine's demands in flight: one for each core cycle of their latency.
std::uint64_t HostInterface::shares_in_flight() const {
  if (!deps_.shares_bandwidth) return 0;
  const double ratio = spec_.core_hz / spec_.pcie_hz;  // core cycles in a PCIe cycle
  return spec_.engine.block_issue_latency + 2 + static_cast<std::uint64_t>(std::ceil(2 * ratio));
}

void HostInterface::bind(ExecutionEngine& engine) {
  queues_->commands.bind(dispatcher_->commands);
  queues_->contexts.bind(engine.contexts);
  queues_->memory().bind(link_->port(kQueuesPort));
  dispatcher_->launches.bind(engine.launches);
  dispatcher_->memory().bind(link_->port(kDispatcherPort));
  for (std::uint32_t i = 0; i < dma_.size(); ++i) {
    dispatcher_->transfers[i].bind(dma_[i]->transfers);
    dma_[i]->memory().bind(link_->port(kFirstDmaPort + i));
    if (deps_.shares_bandwidth) dma_[i]->bandwidth()->bind(engine.copies[i]);
  }
}

void HostInterface::reset() {
  queues_->reset();
  dispatcher_->reset();
  link_->reset();
  for (const auto& dma : dma_) dma->reset();
}

void HostInterface::reset_policies() {
  command_arbiter_->reset();
  for (const auto& arbiter : dma_arbiters_) arbiter->reset();
}

bool HostInterface::idle() const {
  return queues_->idle() && dispatcher_->idle() && link_->idle() && copies_idle();
}

bool HostInterface::copies_idle() const {
  return std::all_of(dma_.begin(), dma_.end(), [](const auto& dma) { return dma->idle(); });
}

void HostInterface::add_command_stats(Group& gpu) {
  gpu.attach(queues_->stats());
  gpu.attach(dispatcher_->stats());
  gpu.attach(link_->stats());
}

void HostInterface::add_copy_stats(Group& gpu) {
  for (const auto& dma : dma_) gpu.attach(dma->stats());
}

}  // namespace heddle
