#pragma once
// The reader of a platform's section `mig`: the sizes of the instances into which the GPU can be split.

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"

namespace heddle {

// Returns no profiles if the section is absent. `spec` has the SMs and the memory, which the profiles fit.
InstanceProfiles read_instances(const config::Section& section, const GpuSpec& spec);

}  // namespace heddle
