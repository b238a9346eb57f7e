#pragma once
// Registers that are set before the product of a warpgroup that writes them without reading them.

#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/operand_folding.h"
#include "stimuli/ptx/schedule/scheduled_function.h"

namespace heddle::ptx {

// A wgmma.mma_async whose predicate scale-d is always false does not read d. Folds the copies into registers
// of d that nothing else reads before such a product: machine code has none. `folded` and `forms` are those
// of the statements.
void fold_unread_sums(const Function& function, const FlowGraph& graph, const OperandFolding& folding,
                      std::vector<bool>& folded, std::vector<InstructionForm>& forms);

}  // namespace heddle::ptx
