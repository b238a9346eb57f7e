#pragma once
// The live shared memory of a block, statement by statement.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Returns for each statement of the entry the bytes of the live shared variables: variables that the
// statement or an earlier one may have written and that the statement or a later one may read. A store ends
// no live range, because it does not write a whole array. The variables that an address may point to follow
// from its computation; an address that was stored or returned by a call may point to any. A call accesses
// the variables that its callees name. `dynamic_shared`
// is the size of the extern array in bytes.
std::vector<std::uint64_t> live_shared_bytes(const Module& module, const Function& entry,
                                             const FlowGraph& graph, std::uint64_t dynamic_shared);

}  // namespace heddle::ptx
