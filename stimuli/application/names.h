#pragma once
// Names of what programs of elsewhere call theirs.

#include <set>
#include <string>
#include <string_view>

namespace heddle {

constexpr std::size_t kMostNameBytes = 64;  // of an application's and of a kernel's name

// What an application's and a kernel's name may hold, at most kMostNameBytes of it; the rest becomes '_'.
std::string plain_name(std::string_view text);

// Names that differ: one that was there before gets a number.
class UniqueNames {
 public:
  std::string add(const std::string& name);

 private:
  std::set<std::string> names_;
};

}  // namespace heddle
