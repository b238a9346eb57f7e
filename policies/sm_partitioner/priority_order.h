#pragma once

#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

// Fills `order` with the active queue by priority of the kernels' contexts, largest first; arrival breaks
// ties. A vector used again and again allocates nothing.
void by_priority(const MachineView& machine, std::vector<const KernelView*>& order);

}  // namespace heddle
