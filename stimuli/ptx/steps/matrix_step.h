#pragma once
// The decoded operands of mma, wmma, ldmatrix and stmatrix.

#include "stimuli/ptx/steps/row_table.h"
#include "stimuli/ptx/steps/step.h"

namespace heddle::ptx {

// `instruction` is the one of the statement, whose space is that of a global access where it is generic.
MatrixStep matrix_step_of(const Function& function, const Statement& statement, RowTable& rows,
                          const Instruction& instruction);

}  // namespace heddle::ptx
