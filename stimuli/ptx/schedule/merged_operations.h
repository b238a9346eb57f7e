#pragma once
// Statements that machine code computes with one operation of three operands.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/schedule/scheduled_function.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Folds a statement into the only instruction that reads its result, where both stand in one basic block and
// an instruction of compute capability 7.0 and later computes both: a sum of three integers (IADD3), a
// product or a shifted number and a sum (IMAD, LEA), two logical operations (LOP3), a comparison and a
// logical operation on its result (ISETP), a product and a sum of floating point that have no rounding,
// which may be contracted (FFMA), and two conversions to halves that are packed (F2FP). The results remain
// those of both statements. `folded` and `forms` are those of the statements.
void merge_operations(const Function& function, const FlowGraph& graph, std::vector<bool>& folded,
                      std::vector<InstructionForm>& forms);

}  // namespace heddle::ptx
