#pragma once
// A path range is a text that names several paths, which differ only in the numbers at the ends of their
// names: gpu.sm[0-131].l1.hits names 132 paths, and a.b names one. Files of statistics list paths this way.
//
// Of several numbers in a range the last one changes fastest. A `[` that belongs to a name is written as [[].

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct PathRange {
  std::string text;
  std::vector<std::size_t> paths;  // the indices of its paths, in the order in which the text names them
};

// Compares paths name by name, each in natural order, as the walk of a group does.
bool path_less(std::string_view left, std::string_view right);

// Returns ranges that name each path once and no other path. The paths are in the order of path_less(), and
// no path is in the list twice.
std::vector<PathRange> path_ranges(const std::vector<std::string>& paths);

// Returns the paths that a range names. Throws std::invalid_argument if the text is no range, or if it names
// more than `most` paths.
std::vector<std::string> paths_in(const std::string& range, std::size_t most);

}  // namespace heddle
