#pragma once
// Static divergence analysis: the blocks in which the lanes of a warp may diverge.

#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// Returns for each block whether some lanes may execute it while other lanes of the warp wait. Such a block
// lies between a branch on a divergent value and the reconvergence point of the branch. A value is divergent
// if it comes from a thread's or lane's index, local memory, an atomic, another lane or a call, or if a
// divergent block writes it. A branch straight to the end, by which superfluous threads leave, does not
// diverge.
std::vector<bool> divergent_blocks(const Function& function, const FlowGraph& graph);

// Returns for each block whether it ends with such a branch.
std::vector<bool> divergent_branches(const Function& function, const FlowGraph& graph);

// Returns for each register of the function whether its value may differ between the lanes of a warp.
std::vector<bool> divergent_registers(const Function& function, const FlowGraph& graph);

}  // namespace heddle::ptx
