#pragma once
// A platform's `dram` section -> DramSpec. Only platforms with a memory system have one.

#include "models/core/config/config.h"
#include "models/dram/dram_spec.h"

namespace heddle {

// Records what is wrong, contradictions included, in the section's document.
DramSpec read_dram(const config::Section& section);

}  // namespace heddle
