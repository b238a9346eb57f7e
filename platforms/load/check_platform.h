#pragma once
// The checks of values of a platform that are well formed one by one but contradict each other.

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"

namespace heddle {

// Records each contradiction at the place of the value that must change. The reader of a section of the
// memory system finds the contradictions within that section.
void check_platform(const config::Section& root, const GpuSpec& spec);

}  // namespace heddle
