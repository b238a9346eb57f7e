#pragma once
// Operations that the uniform datapath executes.

#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/schedule/scheduled_function.h"

namespace heddle::ptx {

// Since Turing a warp has registers that hold one number for all lanes, and a datapath of their own computes
// them (UIADD3, UMOV, USHF, UIMAD, ...). Copies, sums, products, shifts and logic of 32 bits go there where
// they have no guard, no branch on what differs between lanes leads to them, and all that they read is
// constants, parameters and other results of the datapath; with `loads_constants`, as since compute
// capability 9.0, also the index of the block, and loads of parameters go there (ULDC). A counter that only
// comparisons read remains in a register of the warp, as ptxas 13.0 leaves it. `instructions` are those of
// the statements that are not folded.
void move_to_uniform_datapath(const ScheduledFunction& code, bool loads_constants,
                              std::vector<Instruction>& instructions);

}  // namespace heddle::ptx
