#pragma once

#include "stimuli/synthetic/synthetic_kernel.h"

namespace heddle {

// Returns whether blocks of the kernel may start over after they have run in part, by the rule for PTX
// (stimuli/ptx/analysis/restart.h): it has no atomic in global memory, and loads nothing there that it
// stores.
bool may_restart(const SyntheticKernel& kernel);

}  // namespace heddle
