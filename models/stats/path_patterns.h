#pragma once
// Patterns of paths let a table describe each counter of equal blocks once.

#include <string>
#include <vector>

namespace heddle {

// Returns for each path the pattern in which `*` replaces the number at the end of a name: gpu.sm3.ipc
// becomes gpu.sm*.ipc. A number is replaced only if the same name with 0 as its number exists beside it; thus
// l1 and l2 stay.
std::vector<std::string> path_patterns(const std::vector<std::string>& paths);

}  // namespace heddle
