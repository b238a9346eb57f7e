#pragma once
// These formulas show the utilisation of the cycle SMs' units, registers and shared memory, and the miss rate
// of L1.

#include <vector>

#include "models/gpu/gpu_spec.h"
#include "models/sm/cycle_sm.h"
#include "models/stats/group.h"

namespace heddle {

// Returns the name of a formula that add_utilisation() adds: "sp_utilisation".
inline std::string utilisation_of(const std::string& resource) {
  return resource + "_utilisation";
}

// Adds formulas to `gpu`, the group of the whole GPU: for every unit that the SMs have, for `registers` and
// for `shared_memory` the share in use over `active`, which counts the cycles with a kernel resident; and
// `l1_miss_rate`.
void add_utilisation(const SmSpec& spec, const std::vector<CycleSm*>& sms, const Counter& active, Group& gpu);

}  // namespace heddle
