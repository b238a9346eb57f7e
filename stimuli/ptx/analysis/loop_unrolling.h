#pragma once
// Repeats the bodies of loops, as an assembler does to have more loads in flight.

#include "stimuli/ptx/analysis/machine_code.h"

namespace heddle::ptx {

// Repeats the body of each loop of one block whose number of turns is known when it starts, if the body
// stores nothing and is short. A value that a turn adds a constant to is computed from the value of the first
// turn.
void unroll_loops(MachineCode& code);

}  // namespace heddle::ptx
