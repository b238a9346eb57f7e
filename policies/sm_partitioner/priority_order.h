#pragma once
// The active queue in order of priority.

#include <cstdint>
#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

// Returns the priority of a kernel: that of its context and that of its launch, added up. Larger goes first.
inline std::int64_t priority_of(const MachineView& machine, const KernelView& kernel) {
  return std::int64_t{machine.contexts[kernel.context.value].priority} + kernel.priority;
}

// Fills `order` with the kernels of the active queue by priority, the largest first.
// Ties break by arrival. A vector that is reused causes no allocation.
void by_priority(const MachineView& machine, std::vector<const KernelView*>& order);

}  // namespace heddle
