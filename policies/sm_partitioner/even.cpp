#include "policies/sm_partitioner/even.h"

#include <algorithm>

#include "policies/sm_partitioner/demand.h"

namespace heddle {

void Even::partition(const MachineView& machine, Partition& partition) {
  sharers_.update(machine);
  for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
    std::vector<Slice>& slices = partition.slices(sm);
    const std::size_t reserved = reserved_shares(machine, slices);
    for (const KernelView& kernel : machine.kernels) {
      if (kernel.unissued == 0 || has_slice(slices, kernel.ksr)) continue;
      slices.push_back({kernel.ksr});
      if (slices.size() == 1 || holds_all(machine, slices, slices.size() + reserved)) continue;
      slices.pop_back();
      break;
    }
    std::size_t kernels = slices.size() + reserved;
    while (kernels > slices.size() && !holds_all(machine, slices, kernels)) --kernels;
    for (Slice& slice : slices)
      slice.quota = quota(machine.kernel(slice.kernel).block, machine.limits, kernels);
  }
}

// The number of shares of the SM that are reserved for contexts without a slice there.
std::size_t Even::reserved_shares(const MachineView& machine, const std::vector<Slice>& slices) const {
  const auto& sharers = sharers_.list();
  return static_cast<std::size_t>(std::count_if(sharers.begin(), sharers.end(), [&](const Sharer& sharer) {
    return sharers_.is_reserved(machine, sharer) && !(sharer.present && has_slice(slices, sharer.kernel.ksr));
  }));
}

std::uint32_t Even::quota(const BlockResources& block, const SmLimits& limits, std::size_t kernels) {
  const auto count = static_cast<std::uint32_t>(kernels);
  const auto others = [count](std::uint32_t all) { return all - all / count; };
  return residency_of(block, limits,
                      {others(limits.threads), others(limits.warps), others(limits.registers),
                       others(limits.shared_bytes), others(limits.block_slots)})
      .blocks;
}

// Whether a share of one of `kernels` kernels holds at least one block of each of these slices.
bool Even::holds_all(const MachineView& machine, const std::vector<Slice>& slices, std::size_t kernels) {
  return std::all_of(slices.begin(), slices.end(), [&](const Slice& slice) {
    return quota(machine.kernel(slice.kernel).block, machine.limits, kernels) > 0;
  });
}

HEDDLE_POLICY(SmPartitioner, Even, "even",
              "several kernels on an SM, each in an equal share of every resource",
              "Warped-Slicer, Section III, Figure 2c", {Sharers::parameter(false)});

}  // namespace heddle
