#pragma once
// What a statement does beside computing registers of its lane. Passes that move or copy statements ask for
// it.

#include "stimuli/ptx/analysis/machine_code.h"

namespace heddle::ptx {

// Returns whether the statement loads a parameter of a launch, which nothing changes.
bool is_launch_parameter(const Function& function, const Statement& statement);

// Returns how the statement accesses memory. All that others may wait for, such as an access with an order,
// an atomic or a barrier, is a fence.
MachineOperation::Memory memory_of(const Function& function, const Statement& statement);

// Returns whether the statement reads and writes nothing but registers of its own lane, parameters and
// constant memory.
bool uses_registers_alone(const Function& function, const Statement& statement);

// Returns whether what a lane computes may depend on the lanes that run the statement with it.
bool depends_on_lanes(const Statement& statement);

bool ends_block(const Statement& statement);

// Returns whether an assembler moves no statement across this one: a call, a routine of a division or a root,
// a clock, a phase specifier.
bool is_fixed(const Function& function, const Statement& statement);

}  // namespace heddle::ptx
