#pragma once
// The instructions of statements for which machine code has more than one.

#include <vector>

#include "models/core/kernel/operation.h"
#include "stimuli/ptx/analysis/operand_folding.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// An instruction of a sequence.
struct SequenceStep {
  Operation operation = Operation::kMove;
  // The step reads the result of the step before it that is in line, or the operands, and the next one waits
  // for it. A step that is not in line reads the operands, and none waits for it.
  bool in_line = true;
};
using OperationSequence = std::vector<SequenceStep>;

// Returns the instructions of a statement that issues, the last of which has its result; empty: it has one,
// whose operation is that of the statement.
//
// The sequences are those of ptxas 13.0 for sm_90. Of divisions and roots of floating point they have what
// executes for operands and results that are normal numbers, without the call of a routine for others.
// Divisions of 64 bits, for which ptxas calls a routine, are one instruction.
OperationSequence sequence_of(const Function& function, const OperandFolding& folding,
                              const Statement& statement);

}  // namespace heddle::ptx
