#pragma once
// A platform's `dram` section -> DramSpec. Only platforms with a memory system have one.

#include <string>

#include "models/core/config/config.h"
#include "models/dram/dram_spec.h"

namespace heddle {

// Records what is wrong, contradictions included, in the section's document.
DramSpec read_dram(const config::Section& section);

// Whether a platform needs a policy for the decision only where it has a `dram` section.
bool is_dram_decision(const std::string& decision);

}  // namespace heddle
