#pragma once
// How much of a block's shared memory holds something that is still needed, instruction by instruction.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// By instruction of the entry: bytes of the shared variables that may have been written before it or by it
// and may be read by it or behind it. Arrays are never written whole, so a store ends no life. Which
// variables an address may belong to follows from how it was computed; one that was stored or came out of a
// call may be any. `dynamic_shared`: bytes of the extern array.
std::vector<std::uint64_t> live_shared_bytes(const Module& module, const Function& entry,
                                             const FlowGraph& graph, std::uint64_t dynamic_shared);

}  // namespace heddle::ptx
