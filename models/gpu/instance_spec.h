#pragma once
// The GPU as the constraints of policies see it, and the instances into which it is split.

#include "models/gpu/gpu_spec.h"
#include "policies/instances/i_instances.h"

namespace heddle {

// Returns the GPU as the constraints of policies see it. `applications` is 0 if their number is not known.
GpuDescription describe(const GpuSpec& spec, std::size_t applications);

// Returns the instances into which the policies split the GPU for so many applications, or nothing if it is
// whole. The policies fit the GPU.
std::vector<Instance> instances_of(const GpuSpec& spec, const std::map<std::string, PolicyChoice>& policies,
                                   std::size_t applications);

// Returns the GPU that an instance is: its SMs, its share of channels, slices, device memory and bandwidth,
// and one copy engine for both directions if it has only one. Queues, the execution engine and the link are
// as of the whole GPU. The vendor does not document how instances share the PCIe link. With
// PcieSpec::is_shared the instances send their packets over its lanes in turn. Without it each instance has a
// link of its own, and copies of one instance do not slow down those of another. An instance
// has no statistics of energy, because the energy of SMs and channels that belong to no instance would be
// missing from their sum.
GpuSpec spec_of(const GpuSpec& whole, const Instance& instance);

}  // namespace heddle
