#include "policies/sm_partitioner/even.h"

#include <algorithm>

#include "policies/sm_partitioner/demand.h"

namespace heddle {

void Even::partition(const MachineView& machine, Partition& partition) {
  for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
    std::vector<Slice>& slices = partition.slices(sm);
    for (const KernelView& kernel : machine.kernels) {
      if (kernel.unissued == 0 || has_slice(slices, kernel.ksr)) continue;
      slices.push_back({kernel.ksr});
      if (holds_all(machine, slices)) continue;
      slices.pop_back();
      break;
    }
    for (Slice& slice : slices)
      slice.quota = quota(machine.kernel(slice.kernel).block, machine.limits, slices.size());
  }
}

std::uint32_t Even::quota(const BlockResources& block, const SmLimits& limits, std::size_t kernels) {
  const auto count = static_cast<std::uint32_t>(kernels);
  SmLimits share = limits;
  for (std::uint32_t* resource :
       {&share.threads, &share.warps, &share.registers, &share.shared_bytes, &share.block_slots})
    *resource /= count;
  return residency_of(block, share).blocks;
}

// Whether the share of each of these kernels holds a block.
bool Even::holds_all(const MachineView& machine, const std::vector<Slice>& slices) {
  return std::all_of(slices.begin(), slices.end(), [&](const Slice& slice) {
    return quota(machine.kernel(slice.kernel).block, machine.limits, slices.size()) > 0;
  });
}

HEDDLE_POLICY(SmPartitioner, Even, "even",
              "several kernels on an SM, each in an equal share of every resource",
              "Warped-Slicer, Section III, Figure 2c", {});

}  // namespace heddle
