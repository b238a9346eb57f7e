#pragma once
// What a user is told of requests that arrive faster than they are served.

#include <string>
#include <vector>

#include "platforms/run/result/summary.h"

namespace heddle {

// Returns a line for each server that cannot serve its requests even alone, and for each run in which the
// queue of another one grows without bound.
std::vector<std::string> request_notes(const Summary& summary);

}  // namespace heddle
