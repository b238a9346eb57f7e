#pragma once
// Copies that the unit which multiplies integers executes.

#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/schedule/scheduled_function.h"

namespace heddle::ptx {

// Of two operations in a row, the integer unit of compute capability 7.0 and later would keep the second one
// waiting for a cycle. ptxas therefore writes copies and shifts to the left by a constant as products
// (IMAD.MOV, IMAD.SHL), which another unit executes: 65 % of the copies in the kernels of stimuli/kernels for
// sm_80 and three of four of those behind an operation of the integer unit (ptxas 13.0). Here each one behind
// an operation of the integer unit is such a product. `instructions` are those of the statements of the
// function that are not folded.
void move_to_multiplier(const ScheduledFunction& code, std::vector<Instruction>& instructions);

}  // namespace heddle::ptx
