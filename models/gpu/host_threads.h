#pragma once
// Which machines gain from several threads of the host.

#include <string>

#include "models/gpu/gpu_spec.h"

namespace heddle {

// SMs work on several threads in cycles in which at least so many are due, and so do L2 slices and channels.
// Fewer are done before a second thread would have begun.
constexpr std::size_t kFewestShared = 8;

// Returns why a run of the GPU uses one thread whatever is asked for, or an empty text if it uses more.
std::string why_one_thread(const GpuSpec& spec);

}  // namespace heddle
