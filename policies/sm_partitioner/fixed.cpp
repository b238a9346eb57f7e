#include "policies/sm_partitioner/fixed.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

void Fixed::partition(const MachineView& machine, Partition& partition) {
  next_.assign(machine.contexts.size(), nullptr);
  for (const KernelView& kernel : machine.kernels)
    if (kernel.unissued > 0 && next_[kernel.context.value] == nullptr) next_[kernel.context.value] = &kernel;
  for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
    slices_.clear();
    for (std::size_t application = 0; application < next_.size(); ++application) {
      const std::uint32_t most = quota(quotas_, sm, application);
      if (most == 0) continue;
      if (const KernelView* kernel = holder(machine, partition.slices(sm), application))
        slices_.push_back({kernel->ksr, most});
    }
    partition.slices(sm).assign(slices_.begin(), slices_.end());
  }
}

// The kernel of the application that has one of these slices, or else its oldest kernel with unissued blocks.
const KernelView* Fixed::holder(const MachineView& machine, const std::vector<Slice>& slices,
                                std::size_t application) const {
  for (const Slice& slice : slices) {
    const KernelView& kernel = machine.kernel(slice.kernel);
    if (kernel.context.value == application) return &kernel;
  }
  return next_[application];
}

std::uint32_t Fixed::quota(const IntegerLists& quotas, std::size_t sm, std::size_t application) {
  if (quotas.empty()) return Slice::kUnlimited;
  const std::vector<std::int64_t>& list = quotas[sm % quotas.size()];
  if (application >= list.size()) return 0;
  return list[application] == PolicyValue::kAll ? Slice::kUnlimited
                                                : static_cast<std::uint32_t>(list[application]);
}

std::string Fixed::misfit(const GpuDescription& gpu, const PolicyParameters& parameters) {
  const IntegerLists& quotas = parameters.lists(kQuotas);
  if (quotas.size() > gpu.sms)
    return fmt::format("fixed: {} has {} lists for {} SMs", kQuotas, quotas.size(), gpu.sms);
  for (const std::vector<std::int64_t>& list : quotas)
    if (gpu.applications != 0 && list.size() > gpu.applications)
      return fmt::format("fixed: {} name {} applications, of which there are {}", kQuotas, list.size(),
                         gpu.applications);
  for (std::size_t application = 0; application < gpu.applications; ++application) {
    bool some = false;
    for (std::size_t sm = 0; sm < gpu.sms && !some; ++sm) some = quota(quotas, sm, application) > 0;
    if (!some)
      return fmt::format("fixed: {} leave application {} without a block on any SM", kQuotas, application);
  }
  return "";
}

HEDDLE_POLICY(SmPartitioner, Fixed, "fixed",
              "several kernels on an SM, each application within its quota there",
              "Warped-Slicer, Sections III and V (Oracle)",
              {{Fixed::kQuotas, "blocks", IntegerLists{}, PolicyValue::kAll, 1024,
                "most blocks on an SM, by application, all or -1: no limit; or such lists, by SM in turn"}});

}  // namespace heddle
