#include "models/gpu/instance_spec.h"

#include <algorithm>

namespace heddle {

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
  gpu.has_channel_sets = gpu.has_dram && !spec.memory->dram.map.channels_of.empty();
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
    const DramMapSpec& map = whole.memory->dram.map;
    spec.memory->dram.map = map.narrowed(static_cast<std::uint32_t>(slices_of(map.channels)));
    spec.memory->set_gpcs(spec.sm.gpcs());
  }
  spec.energy.reset();
  spec.policies.erase(Instances::kDecision);
  spec.instances = {};
  return spec;
}

}  // namespace heddle
