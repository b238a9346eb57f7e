#pragma once
// The GPU that a captured program is shown.

#include <string>

#include "models/gpu/gpu_spec.h"

namespace heddle::capture {

// platform: its name or its YAML file. Platforms are read by platforms/load, which defines this function; the
// runtime stands below it. Throws config::Error.
GpuSpec shown_gpu(const std::string& platform);

}  // namespace heddle::capture
