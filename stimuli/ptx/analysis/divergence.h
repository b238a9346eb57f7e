#pragma once
// Static divergence analysis: the blocks in which the lanes of a warp may diverge.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Returns for each block whether some lanes may execute it while other lanes of the warp wait. Such a block
// lies between a branch on a divergent value and the reconvergence point of the branch. A value is divergent
// if it comes from a thread's or lane's index, local memory, an atomic, another lane or a call, or if a
// divergent block writes it. A branch straight to the end, by which superfluous threads leave, does not
// diverge.
std::vector<bool> divergent_blocks(const Function& function, const FlowGraph& graph);

// Returns for each block whether it ends with such a branch.
std::vector<bool> divergent_branches(const Function& function, const FlowGraph& graph);

// The values that are followed through a function.
enum class Values : std::uint8_t {
  kDivergent,  // they may differ between the lanes of a warp
  kShared,     // they depend on what another thread may write meanwhile: reads_shared_value()
};
// Returns for each block whether it ends with a branch on such a value, also straight to the end.
std::vector<bool> branches_on(Values values, const Function& function, const FlowGraph& graph);
// Returns whether the statement reads what another thread may write meanwhile: by an atomic, or by a load
// that is not weak.
bool reads_shared_value(const Statement& statement);

// Returns for each register of the function whether its value may differ between the lanes of a warp.
std::vector<bool> divergent_registers(const Function& function, const FlowGraph& graph);

}  // namespace heddle::ptx
