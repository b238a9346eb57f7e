#pragma once
// Finds programs that cannot end: a stream waits for an event that is recorded only after the wait.

#include <string>
#include <vector>

#include "models/host/api_program.h"

namespace heddle {

// One message for each cycle found, naming the calls of it by `places` (one for each call); empty if the
// program can run to its end. A wait before any record of its event waits for the first; a loop's body is
// looked at once.
std::vector<std::string> stream_cycles(const ApiProgram& program, const std::vector<std::string>& places);

}  // namespace heddle
