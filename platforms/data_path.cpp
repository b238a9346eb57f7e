#include "platforms/data_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "models/core/config.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> roots() {
  std::vector<fs::path> result;
  if (const char* given = std::getenv("HEDDLE_DATA")) result.emplace_back(given);
  result.emplace_back(HEDDLE_INSTALLED_DATA);
  result.emplace_back(HEDDLE_SOURCE_DATA);
  return result;
}

bool is_file_name(const std::string& what) {
  return what.find('/') != std::string::npos || fs::path(what).extension() == ".yaml";
}

}  // namespace

std::string find_data(const std::string& folder, const std::string& what, const std::string& beside) {
  if (is_file_name(what)) {
    const fs::path next_to = fs::path(beside).parent_path() / what;
    if (!fs::exists(what) && !beside.empty() && fs::exists(next_to)) return next_to.string();
    return what;
  }
  for (const fs::path& root : roots())
    if (const fs::path file = root / folder / (what + ".yaml"); fs::exists(file)) return file.string();
  const std::vector<std::string> known = known_data(folder);
  const std::string nearest = config::nearest_name(what, known);
  throw config::Error({fmt::format("'{}' is not in {}{}; known: {}", what, folder,
                                   nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
                                   fmt::join(known, ", "))});
}

std::vector<std::string> known_data(const std::string& folder) {
  std::set<std::string> names;
  for (const fs::path& root : roots()) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(root / folder, none))
      if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

}  // namespace heddle
