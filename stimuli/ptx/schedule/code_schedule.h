#pragma once
// Finds the order in which machine code executes the statements of a function, and the statements that need
// no instruction of their own.

#include <vector>

#include "stimuli/ptx/schedule/merged_operations.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

struct ScheduledFunction {
  Function function;
  // By statement; both are empty in a function whose instructions are its statements. A folded statement has
  // no instruction: the next instruction of its basic block computes it, or the last one if none follows.
  // Each block has an instruction.
  std::vector<bool> folded;
  std::vector<InstructionNames> names;
};

// Returns the function as an assembler would emit it: loops are repeated (repeated_loops.h), statements that
// machine_code() folds issue no instruction, and the statements of each basic block are scheduled for
// latency, or for registers if more are live than a thread may have. Every thread computes the same as by the
// order of the text: a statement follows those whose results it reads or overwrites, and accesses to memory
// keep their order unless they lie in different spaces, read memory that no statement writes, or have
// addresses with a known difference.
ScheduledFunction scheduled(const Function& function);

}  // namespace heddle::ptx
