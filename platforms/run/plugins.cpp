#include "platforms/run/plugins.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/core/config/config.h"
#include "models/core/config/config_units.h"
#include "models/core/config/data_path.h"
#include "models/core/config/input_file.h"
#include "platforms/run/provenance.h"
#include "policies/plugin_registration.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "heddle-plugin-build:";  // of policies/plugin.h

std::vector<Plugin>& plugins() {
  static std::vector<Plugin> loaded;
  return loaded;
}

// Returns the folder of Heddle's headers: PREFIX/include/heddle of an installation, whose libraries lie in
// PREFIX/lib, PREFIX/lib64 or PREFIX/lib/MACHINE, or else the source tree.
std::string header_folder() {
  const fs::path libraries = fs::path(runtime_folder()).parent_path();
  std::error_code none;
  for (const char* up : {"../include/heddle", "../../include/heddle"})
    if (const fs::path folder = (libraries / up).lexically_normal();
        fs::is_regular_file(folder / "policies/registry.h", none))
      return folder.string();
  return fs::path(find_data("platforms", "k20")).parent_path().parent_path().string();
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw config::Error({fmt::format("--plugin {}: {}", file, why)});
}

// Looks at the bytes of the file, so that nothing of a library for another build runs.
void check_build(const std::string& file, const std::string& bytes) {
  if (bytes.rfind("\x7f"
                  "ELF",
                  0) != 0)
    refuse(file, "is no shared library");
  const std::size_t mark = bytes.find(kMark);
  if (mark == std::string::npos)
    refuse(file, "is no plug-in: it was compiled without the flags of heddle list plugin-flags");
  const std::size_t begin = mark + std::char_traits<char>::length(kMark);
  const std::string build = bytes.substr(begin, bytes.find('\0', begin) - begin);
  if (build != library_id())
    refuse(file,
           fmt::format("was made for another build of Heddle ({}, and this is {}); compile it again with the "
                       "flags of heddle list plugin-flags",
                       config::detail::shown(build), library_id()));
}

void load(const std::string& file) {
  if (!fs::exists(file)) refuse(file, "there is no such file");
  const std::string bytes = config::read_file(file);
  Plugin plugin{fs::canonical(file).string(), content_hash(bytes), {}};
  for (const Plugin& other : plugins())
    if (other.hash == plugin.hash) refuse(file, fmt::format("is loaded already as {}", other.file));
  check_build(file, bytes);
  const PluginRegistration registration;
  if (::dlopen(plugin.file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
    refuse(file, fmt::format("cannot be loaded: {}", ::dlerror()));
  if (const std::string problem = registration.first_problem(); !problem.empty()) refuse(file, problem);
  if (registration.policies().empty()) refuse(file, "registers no policy");
  for (const auto& [decision, name] : registration.policies())
    plugin.policies.push_back(decision + " " + name);
  plugins().push_back(std::move(plugin));
}

}  // namespace

void load_plugins(const std::vector<std::string>& files) {
  for (const std::string& file : files) load(file);
}

const std::vector<Plugin>& loaded_plugins() {
  return plugins();
}

std::string simulator_id() {
  std::vector<std::string> hashes;
  for (const Plugin& plugin : plugins()) hashes.push_back(plugin.hash);
  std::sort(hashes.begin(), hashes.end());
  std::string id = build_id();
  for (const std::string& hash : hashes) id += " " + hash;
  return id;
}

std::string plugin_flags() {
  return fmt::format("-std=c++17 -O2 -fPIC -shared -I{} -include policies/plugin.h -DHEDDLE_PLUGIN_BUILD={}",
                     header_folder(), library_id());
}

}  // namespace heddle
