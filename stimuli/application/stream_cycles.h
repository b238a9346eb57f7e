#pragma once
// This file finds programs that cannot end because a stream waits for an event that is recorded only after
// the wait.

#include <string>
#include <vector>

#include "models/host/api_program.h"

namespace heddle {

// Returns one message for each cycle; empty if the program can run to its end. A message names the calls of
// the cycle by `places`, which has one entry for each call. A wait that precedes every record of its event
// waits for the first record. The body of a loop is examined for one round.
std::vector<std::string> stream_cycles(const ApiProgram& program, const std::vector<std::string>& places);

}  // namespace heddle
