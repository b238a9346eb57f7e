#pragma once
// What a user should know of the policies of finished runs.

#include <string>
#include <vector>

#include "platforms/run/result/summary.h"

namespace heddle {

// Returns a note for each run of several applications whose time slices were at least as long as the run, so
// that none came to its end.
std::vector<std::string> policy_notes(const Summary& summary);

}  // namespace heddle
