#pragma once
// Settings of a platform that a run does not depend on.

#include <string>

#include "models/gpu/gpu_spec.h"

namespace heddle {

// Returns why an assignment of the command line's --set, "l2.ways=8", changes nothing on this platform, as
// the rest of a sentence that begins with it: "changes nothing: the SMs are timed, ...". Empty if it may
// change something.
std::string why_idle(const GpuSpec& spec, const std::string& assignment);

}  // namespace heddle
