#pragma once
// The GPU whose properties a captured program sees.

#include <string>

#include "models/gpu/gpu_spec.h"

namespace heddle::capture {

// Returns the GPU of a platform, which is a name or a YAML file. Throws config::Error. platforms/load reads
// platforms and defines this function, because the runtime library must not depend on that folder.
GpuSpec shown_gpu(const std::string& platform);

}  // namespace heddle::capture
