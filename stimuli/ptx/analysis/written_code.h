#pragma once
// The code of a function as it is written: each statement is one operation of machine code.

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/machine_code.h"

namespace heddle::ptx {

// Returns the statements as operations that read and write the same names. The operations have no latency
// and no access to memory.
MachineCode code_as_written(const Function& function, const FlowGraph& graph);

}  // namespace heddle::ptx
