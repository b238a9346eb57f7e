#pragma once
// Finds the order in which machine code executes the statements of a function, the statements that need no
// instruction of their own, and those that need several.

#include "models/core/kernel/code_options.h"
#include "stimuli/ptx/schedule/scheduled_function.h"

namespace heddle::ptx {

// Returns the function as an assembler would emit it: loops are repeated (repeated_loops.h), statements that
// machine_code() folds issue no instruction, others issue several (expansion.h), and the statements of each
// basic block are scheduled for latency, or for registers if more are live than a thread may have. Every
// thread computes the same as by the order of the text: a statement follows those whose results it reads or
// overwrites, and accesses to memory keep their order unless they lie in different spaces, read memory that
// no statement writes, or have addresses with a known difference. The schedule is not kNone.
ScheduledFunction scheduled(const Function& function, CodeSchedule schedule);

}  // namespace heddle::ptx
