#pragma once
// These functions read the result of a run from its machines, with the counters as of their last stats().

#include "models/machine/machines.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

RunResult describe(Machine& machine);

// The result of one GPU, or the results of all instances as one, see result/merge_results.h.
RunResult describe(Machines& machines);

}  // namespace heddle
