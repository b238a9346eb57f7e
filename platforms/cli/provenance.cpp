#include "platforms/cli/provenance.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <boost/uuid/detail/sha1.hpp>

#include <array>
#include <fstream>
#include <sstream>

#include "models/core/systemc_reports.h"
#include "policies/registry.h"

namespace heddle {

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string file_of(const void* symbol) {
  Dl_info info{};
  return dladdr(symbol, &info) != 0 ? info.dli_fname : "";
}

}  // namespace

std::string version() {
  return fmt::format("{} ({})", HEDDLE_VERSION, HEDDLE_REVISION);
}

std::string content_hash(const std::string& text) {
  boost::uuids::detail::sha1 sha;
  sha.process_bytes(text.data(), text.size());
  unsigned int digest[5];
  sha.get_digest(digest);
  return fmt::format("{:08x}{:08x}{:08x}{:08x}{:08x}", digest[0], digest[1], digest[2], digest[3], digest[4]);
}

std::string build_id() {
  static const std::string id = [] {
    void (*const in_models)() = &route_systemc_reports;
    PolicyCatalogue& (*const in_logic)() = &PolicyCatalogue::instance;
    return content_hash(read_file("/proc/self/exe") +
                        read_file(file_of(reinterpret_cast<const void*>(in_models))) +
                        read_file(file_of(reinterpret_cast<const void*>(in_logic))));
  }();
  return id;
}

nlohmann::ordered_json provenance(const std::vector<std::string>& argv) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  nlohmann::ordered_json json;
  json["version"] = HEDDLE_VERSION;
  json["revision"] = HEDDLE_REVISION;
  json["build_id"] = build_id();
  json["host"] = host.data();
  json["argv"] = argv;
  return json;
}

}  // namespace heddle
