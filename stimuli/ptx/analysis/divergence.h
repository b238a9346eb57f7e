#pragma once
// Where the lanes of a warp may be apart, as a compiler can tell.

#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// By block: whether lanes may execute it while others of their warp wait elsewhere: it lies between a branch
// on a value that lanes may have different and the place where they meet again. Values differ that come from
// a thread's or lane's number, from local memory, atomics, other lanes or calls, or were written where lanes
// are apart. A branch straight to the end, which lets superfluous threads leave, parts nobody.
std::vector<bool> divergent_blocks(const Function& function, const FlowGraph& graph);

}  // namespace heddle::ptx
