#pragma once

#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

// The active queue by priority of the kernels' contexts, largest first; arrival breaks ties.
std::vector<const KernelView*> by_priority(const MachineView& machine);

}  // namespace heddle
