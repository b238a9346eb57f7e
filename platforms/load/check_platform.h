#pragma once
// Values of a platform that are well formed one by one and cannot hold together.

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"

namespace heddle {

// Records each contradiction at the place of the value that must change. Those within one section of the
// memory system are found by the section's own reader.
void check_platform(const config::Section& root, const GpuSpec& spec);

}  // namespace heddle
