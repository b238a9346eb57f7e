#pragma once
// The registers that a thread holds at each statement of a function, as an assembler would assign them.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Returns for each statement the registers of 32 bits that are live in folded code (machine_code.h), one for
// the stack pointer, and at a call those of the callee. No statement counts more than `most`, and a recursive
// call, or one more than 64 deep, counts as many. Operations keep the order of the text: no merging,
// unrolling or scheduling.
std::vector<std::uint32_t> held_registers(const Module& module, const Function& function,
                                          const FlowGraph& graph, std::uint32_t most);

}  // namespace heddle::ptx
