#include "models/stats/path_patterns.h"

#include <algorithm>
#include <unordered_set>

namespace heddle {

namespace {

// Returns the name without the digits at its end.
std::string stem_of(const std::string& name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

// Calls `use(start, end)` for each name of the path; `end` is the index of the dot behind it or of the path's
// end.
template <typename Use>
void for_each_name(const std::string& path, Use use) {
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    use(start, end);
    start = end + 1;
  }
}

}  // namespace

std::vector<std::string> path_patterns(const std::vector<std::string>& paths) {
  std::unordered_set<std::string> prefixes;  // every path, cut after each of its names
  for (const std::string& path : paths)
    for_each_name(path, [&](std::size_t, std::size_t end) { prefixes.insert(path.substr(0, end)); });
  std::vector<std::string> patterns;
  for (const std::string& path : paths) {
    std::string pattern;
    for_each_name(path, [&](std::size_t start, std::size_t end) {
      const std::string name = path.substr(start, end - start);
      const std::string stem = stem_of(name);
      const bool is_numbered = stem != name && prefixes.count(path.substr(0, start) + stem + "0") != 0;
      if (start != 0) pattern += '.';
      pattern += is_numbered ? stem + "*" : name;
    });
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace heddle
