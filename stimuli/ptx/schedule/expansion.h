#pragma once
// Statements for which machine code has several instructions.

#include "stimuli/ptx/analysis/operand_folding.h"
#include "stimuli/ptx/schedule/scheduled_function.h"

namespace heddle::ptx {

// Adds the instructions that an assembler emits beside one for each statement. They are statements of the
// opcode kPart, which have no operands and compute nothing: their forms say which unit they take and for
// which registers they wait. The last instruction of an expanded statement computes it.
//
// - An operation of 64 bits becomes two or more of 32 bits, and a division, a root or another function of
//   floating point becomes its approximation by the special function unit and the steps that refine it
//   (operation_sequence.h).
// - The entry loads the stack pointer and the descriptor of global memory, and with Constants::kLoaded also
//   computes the addresses of its shared variables.
// - The lanes of a warp that may diverge meet at a convergence barrier: an instruction names it before the
//   branch (BSSY), and one waits at the place where the lanes reconverge (BSYNC).
void expand(ScheduledFunction& code, Constants constants);

}  // namespace heddle::ptx
