#include "stimuli/application/names.h"

#include <fmt/format.h>

namespace heddle {

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
  if (names_.insert(result).second) return result;
  std::uint64_t& next = next_.emplace(name, 2).first->second;
  do {
    const std::string number = fmt::format("-{}", next++);
    result = name.substr(0, kMostNameBytes - number.size()) + number;
  } while (!names_.insert(result).second);
  return result;
}

}  // namespace heddle
