#include "stimuli/application/names.h"

#include <fmt/format.h>

namespace heddle {

namespace {}  // namespace

std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, kMostNameBytes)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    name += plain ? c : '_';
  }
  if (name.empty() || name[0] == '.') name.insert(0, "_");
  return name.substr(0, kMostNameBytes);
}

std::string UniqueNames::add(const std::string& name) {
  std::string result = name;
  for (std::uint64_t n = 2; !names_.insert(result).second; ++n) {
    const std::string number = fmt::format("-{}", n);
    result = name.substr(0, kMostNameBytes - number.size()) + number;
  }
  return result;
}

}  // namespace heddle
