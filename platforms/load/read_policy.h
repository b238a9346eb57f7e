#pragma once
// A policy as YAML names it: `name`, or `{name: ..., parameter: value}`.

#include <cstdint>
#include <string>

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"
#include "policies/registry.h"

namespace heddle {

// The choice has no name if a problem is recorded. A number of cycles may be a share of the window, "1%", if
// there is one. The policy's name and its parameters are not checked.
PolicyChoice read_policy(const std::string& decision, const config::Value& value, std::uint64_t window);

// The replacement policy of the cache that a section describes, from its key `replacement`; the default where
// the key is absent. What is wrong is recorded as a problem.
PolicyChoice read_replacement(const config::Section& cache);

// The GPU as the constraints of policies see it; 0 applications: their number is not known.
GpuDescription describe(const GpuSpec& spec, std::size_t applications);

}  // namespace heddle
