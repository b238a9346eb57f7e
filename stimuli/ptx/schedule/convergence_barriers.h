#pragma once
// The places where the lanes of a warp that may diverge are made to meet again.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// The barrier is set at the end of the block that ends before statement `set`, and the lanes wait for each
// other before statement `wait`.
struct ConvergenceBarrier {
  std::uint32_t set = 0;
  bool ends_with_branch = false;  // the block ends with a branch, before which the barrier is set
  std::uint32_t wait = 0;
};

// Returns a barrier for each place where the lanes of divergent branches reconverge. It is set where every
// path to these branches comes by, outside of the loops that they leave.
std::vector<ConvergenceBarrier> convergence_barriers(const Function& function);

}  // namespace heddle::ptx
