#pragma once
// The request for a trace: which warps are followed, and when. It is a list of texts such as
//
//   sm3.warp5                        a warp slot of an SM
//   sm3,cycles=1000-2000             every warp of an SM, in these core cycles
//   kernel=matmul,cycles=1000-       every warp of a kernel, from a core cycle on
//
// All parts of one text hold together; several texts add up.

#include <string>
#include <vector>

#include "models/machine/machine_spec.h"
#include "models/machine/trace_log.h"

namespace heddle {

// Reads one text. Throws config::Error that names the option and the part.
TraceSelection read_trace_selection(const std::string& text);

// Throws config::Error if the machine has no such SM, warp slot or kernel, or nothing to trace: SMs that are
// timed, or a split GPU.
void check_trace(const std::vector<TraceSelection>& selections, const MachineSpec& machine);

}  // namespace heddle
