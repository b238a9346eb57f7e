#pragma once
// Runs what was read as PTX, whatever it does.

#include <string>
#include <vector>

#include "stimuli/ptx/text/module.h"

namespace heddle {

// Modules that use all there is, for damage.
std::vector<std::string> executed_samples();

// Launches each entry with buffers as parameters, for a bounded number of instructions. A fault and a
// deadlock are answers; throws anything else that comes of it.
void execute_some(const ptx::Module& module);

}  // namespace heddle
