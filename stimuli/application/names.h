#pragma once
// This file makes valid, distinct names from the names in traces and captured programs.

#include <set>
#include <string>
#include <string_view>

namespace heddle {

constexpr std::size_t kMostNameBytes = 64;  // of the name of an application or a kernel

// Returns `text` as a valid name of an application or a kernel, cut to kMostNameBytes. Other characters than
// letters, digits, '-', '_' and '.' become '_'. A '_' is put before a leading '.' and stands for an empty
// text.
std::string plain_name(std::string_view text);

// UniqueNames returns each name as given, or with a number ("-2", "-3", ...) if it was returned before.
class UniqueNames {
 public:
  std::string add(const std::string& name);

 private:
  std::set<std::string> names_;
};

}  // namespace heddle
