#pragma once
// Whether the blocks of a launch may start over: what its entry reads and writes, with the allocations to
// which the arguments point.

#include <string>

#include "models/core/memory/device_memory.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle::ptx {

// Returns why a block of the launch must not start over after it has run in part (stimuli/ptx/analysis,
// restart.h): empty, it may. `memory` has the allocations of the context. Parameters whose values lie in the
// same allocation are taken to point to the same memory. A value that lies in none is no address but an
// offset, and an address that comes from such values alone may be any.
std::string restart_problem(const Launch& launch, const DeviceMemory& memory);

}  // namespace heddle::ptx
