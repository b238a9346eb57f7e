#pragma once
// What a schedule must know of the accesses of statements to memory.

#include "stimuli/ptx/analysis/machine_code.h"

namespace heddle::ptx {

// Returns whether the statement loads a parameter of a launch, which nothing changes.
bool is_launch_parameter(const Function& function, const Statement& statement);

// Returns how the statement accesses memory. All that others may wait for, such as an access with an order,
// an atomic or a barrier, is a fence.
MachineOperation::Memory memory_of(const Function& function, const Statement& statement);

}  // namespace heddle::ptx
