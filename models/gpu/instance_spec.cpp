#include "models/gpu/instance_spec.h"

#include <algorithm>

namespace heddle {

namespace {

// The hash of the channel's number keeps the bits of the smaller number.
void narrow(DramMapSpec& map, std::uint32_t channels) {
  map.channels = channels;
  std::size_t bits = 0;
  while ((std::uint64_t{1} << bits) < channels) ++bits;
  map.channel_hash.resize(std::min(map.channel_hash.size(), bits));
}

}  // namespace

GpuDescription describe(const GpuSpec& spec, std::size_t applications) {
  GpuDescription gpu;
  gpu.sms = spec.sm.count;
  gpu.contexts = spec.engine.contexts;
  gpu.ksrs = spec.engine.ksrs;
  gpu.hardware_queues = spec.queues.count;
  gpu.block_slots = spec.sm.limits.block_slots;
  gpu.warp_slots = spec.sm.limits.warps;
  const ExecutionSpec* const execution = spec.sm.execution();
  gpu.has_cycle_sms = execution != nullptr;
  if (execution != nullptr) gpu.warp_schedulers = execution->schedulers;
  gpu.has_dram = spec.memory.has_value();
  gpu.has_faults = spec.sm.faults.any();
  gpu.applications = applications;
  gpu.host_cores = spec.host.cores;
  gpu.instances = spec.instances;
  return gpu;
}

std::vector<Instance> instances_of(const GpuSpec& spec, const std::map<std::string, PolicyChoice>& policies,
                                   std::size_t applications) {
  const auto choice = policies.find(Instances::kDecision);
  if (choice == policies.end()) return {};
  return PolicyRegistry<Instances>::make(choice->second)->split(describe(spec, applications), applications);
}

GpuSpec spec_of(const GpuSpec& whole, const Instance& instance) {
  GpuSpec spec = whole;
  const double share = static_cast<double>(instance.memory_slices) / whole.instances.memory_slices;
  const auto slices_of = [&](std::uint64_t amount) {
    return amount / whole.instances.memory_slices * instance.memory_slices;
  };
  spec.sm.count = instance.sms;
  spec.sm.update_cluster_sms();
  spec.device_bytes = slices_of(whole.device_bytes);
  spec.dma.engines = std::min(whole.dma.engines, instance.copy_engines);
  spec.dma.device_bytes_per_second *= share;
  spec.bandwidth.dram_bytes_per_second *= share;
  spec.bandwidth.l2_bytes_per_second *= share;
  if (spec.memory) {
    narrow(spec.memory->dram.map, static_cast<std::uint32_t>(slices_of(whole.memory->dram.map.channels)));
    spec.memory->set_gpcs(spec.sm.gpcs());
  }
  spec.energy.reset();
  spec.policies.erase(Instances::kDecision);
  spec.instances = {};
  return spec;
}

}  // namespace heddle
