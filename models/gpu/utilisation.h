#pragma once
// How much of the cycle SMs' units, registers and shared memory a GPU's kernels used, and how often L1
// missed.

#include <vector>

#include "models/gpu/gpu_spec.h"
#include "models/sm/cycle_sm.h"
#include "models/stats/group.h"

namespace heddle {

// The name of a formula that add_utilisation() adds: "sp_utilisation".
inline std::string utilisation_of(const std::string& resource) {
  return resource + "_utilisation";
}

// Adds to `gpu`, the group of the whole GPU: for every unit that the SMs have, `registers` and
// `shared_memory` the share in use over `active`, the cycles with a kernel resident; and `l1_miss_rate`.
void add_utilisation(const SmSpec& spec, const std::vector<CycleSm*>& sms, const Counter& active, Group& gpu);

}  // namespace heddle
