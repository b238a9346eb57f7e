#pragma once
// What a machine has to tell of the requests of its servers, as plain values.

#include <cstddef>

#include "models/machine/machine.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

// Fills in the requests and the progress of each application, after the run. A machine without servers
// changes nothing.
void describe_requests(const Machine& machine, RunResult& run);

// Returns the share of a server's requests that have been served, 0 .. 1.
double requests_done(const Machine& machine, std::size_t process);

}  // namespace heddle
