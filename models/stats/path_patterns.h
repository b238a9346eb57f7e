#pragma once
// Paths of statistics without the numbers of equal blocks, for tables that describe each counter once.

#include <string>
#include <vector>

namespace heddle {

// By path, the same path with `*` for the number at the end of a name: gpu.sm3.ipc becomes gpu.sm*.ipc. A
// number counts blocks where the name with 0 in its place stands beside it; l1 and l2 keep theirs.
std::vector<std::string> path_patterns(const std::vector<std::string>& paths);

}  // namespace heddle
