#pragma once
// The loops in which a lane may wait for another lane of its warp, such as one that spins for a lock.

#include <vector>

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Returns for each statement whether it is a branch back to the start of such a loop. Lanes leave the loop
// one by one, by a branch that depends on what an atomic of the loop returns or on a load in it that is not
// weak. In these loops, and in no others of thirteen that were tried, ptxas 13.0 has a YIELD on sm_90.
std::vector<bool> waiting_branches(const Function& function);

}  // namespace heddle::ptx
