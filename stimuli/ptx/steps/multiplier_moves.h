#pragma once
// Operations of the integer unit that an assembler gives to the unit which multiplies.

#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/schedule/scheduled_function.h"

namespace heddle::ptx {

// The integer unit of compute capability 7.0 and later takes an operation of a warp every second cycle. ptxas
// therefore writes many copies, shifts to the left by a constant, and upper halves of sums of 64 bits as
// products (IMAD.MOV, IMAD.SHL, IMAD.X), which another unit executes. In the kernels of stimuli/kernels for
// sm_80, 69 % of the copies behind an operation of the integer unit and 59 % of the upper halves there are
// products (ptxas 13.0). Here all of them are: each that stands behind an operation of the integer unit.
// `instructions` are those of the statements that are not folded.
void move_to_multiplier(const ScheduledFunction& code, std::vector<Instruction>& instructions);

}  // namespace heddle::ptx
