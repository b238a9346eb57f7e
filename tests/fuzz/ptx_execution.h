#pragma once
// Executes PTX that a reader has accepted, whatever the PTX does.

#include <string>
#include <vector>

#include "stimuli/ptx/statements/module.h"

namespace heddle {

// Returns PTX modules that use every feature of execution, as samples to damage.
std::vector<std::string> executed_samples();

// Launches each entry with buffers as parameters, for a bounded number of instructions. Faults and deadlocks
// are expected results. Any other exception reaches the caller.
void execute_some(const ptx::Module& module);

}  // namespace heddle
