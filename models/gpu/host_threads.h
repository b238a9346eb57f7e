#pragma once
// This file says which machines gain from several threads of the host.

#include <string>

#include "models/gpu/gpu_spec.h"

namespace heddle {

// SMs use several threads only in cycles in which at least this many SMs are due. L2 slices and channels do
// the same. The work of fewer blocks takes less time than it costs to start a second thread (a guess).
constexpr std::size_t kFewestShared = 8;

// Returns why a run of the GPU uses one thread whatever is asked for, or an empty text if it uses more.
std::string why_one_thread(const GpuSpec& spec);

}  // namespace heddle
