#pragma once
// The active queue in order of priority.

#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

// Fills `order` with the kernels of the active queue by the priority of their contexts, the largest first.
// Ties break by arrival. A vector that is reused causes no allocation.
void by_priority(const MachineView& machine, std::vector<const KernelView*>& order);

}  // namespace heddle
