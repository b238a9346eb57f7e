#include "models/core/config/data_path.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

fs::path find_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&known_data), &info) == 0) return {};
  std::error_code ignored;
  return fs::absolute(info.dli_fname, ignored).parent_path();
}

// The library may be installed under any prefix. Only the path from the library to its data is fixed.
fs::path beside_library(const char* what) {
  static const fs::path folder = find_library();  // as seen from the first working directory
  return folder.empty() ? fs::path{} : folder / what;
}

// Returns an empty path if the library is not installed.
fs::path installed_data() {
  std::error_code none;
  const fs::path installed = beside_library(HEDDLE_DATA_FROM_LIBRARY);
  return fs::is_directory(installed, none) ? installed : fs::path{};
}

std::vector<fs::path> roots() {
  std::vector<fs::path> result;
  if (const char* given = std::getenv("HEDDLE_DATA")) result.emplace_back(given);
  const fs::path installed = installed_data();
  result.push_back(installed.empty() ? fs::path(HEDDLE_SOURCE_DATA) : installed);
  return result;
}

}  // namespace

bool is_file_name(const std::string& what) {
  const fs::path extension = fs::path(what).extension();
  return what.find('/') != std::string::npos || extension == ".yaml" || extension == ".yml" ||
         extension == ".ptx" || extension == ".hcap";
}

std::string find_data(const std::string& folder, const std::string& what, const std::string& beside,
                      const std::string& extension) {
  if (is_file_name(what)) {
    std::error_code error;
    const fs::path next_to = fs::path(beside).parent_path() / what;
    if (!beside.empty() && fs::exists(next_to, error)) return next_to.string();
    if (fs::exists(what, error)) return what;
    throw config::Error({fmt::format("there is no file '{}'", what)});
  }
  std::error_code error;
  for (const fs::path& root : roots())
    if (const fs::path file = root / folder / (what + extension); fs::is_regular_file(file, error))
      return file.string();
  const std::vector<std::string> known = known_data(folder, extension);
  throw config::Error(
      {fmt::format("'{}' is not in {}{}", what, folder, config::suggestion_and_known(what, known))});
}

std::string find_script(const std::string& name) {
  std::error_code error;
  for (const fs::path& root : roots())
    if (const fs::path file = root / "scripts" / name; fs::is_regular_file(file, error)) return file.string();
  throw config::Error({fmt::format("scripts/{} does not lie beside Heddle's platforms", name)});
}

std::string stored_documents_file() {
  const fs::path installed = installed_data();
  return (installed.empty() ? beside_library("documents.bin") : installed / "documents.bin").string();
}

std::string runtime_folder() {
  return beside_library("heddle-cudart").lexically_normal().string();
}

bool is_cache_off() {
  const char* given = std::getenv("HEDDLE_CACHE");
  return given != nullptr && std::string_view(given) == "none";
}

std::string user_cache_folder() {
  if (is_cache_off()) return "";
  if (const char* given = std::getenv("HEDDLE_CACHE")) return given;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME")) return std::string(xdg) + "/heddle";
  if (const char* home = std::getenv("HOME")) return std::string(home) + "/.cache/heddle";
  return "";
}

bool has_data(const std::string& folder, const std::string& name, const std::string& extension) {
  if (name.empty() || name.find('/') != std::string::npos) return false;
  std::error_code none;
  for (const fs::path& root : roots())
    if (fs::exists(root / folder / (name + extension), none)) return true;
  return false;
}

std::vector<std::string> known_data(const std::string& folder, const std::string& extension) {
  std::set<std::string> names;
  for (const fs::path& root : roots()) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(root / folder, none))
      if (entry.path().extension() == extension) names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

}  // namespace heddle
