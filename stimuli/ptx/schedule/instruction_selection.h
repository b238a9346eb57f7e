#pragma once
// The statements of which machine code has an instruction.

#include "stimuli/ptx/analysis/operand_folding.h"
#include "stimuli/ptx/schedule/scheduled_function.h"

namespace heddle::ptx {

// Returns the function with the statements folded that machine_code(), fold_unread_sums() and
// merge_operations() fold. A block may have no instruction.
ScheduledFunction with_selected_instructions(const Function& function, Constants constants);

}  // namespace heddle::ptx
