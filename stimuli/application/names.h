#pragma once
// This file makes valid, distinct names from the names in traces and captured programs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace heddle {

constexpr std::size_t kMostNameBytes = 64;  // of the name of an application or a kernel

// Returns `text` as a valid name of an application or a kernel, cut to kMostNameBytes. Other characters than
// letters, digits, '-', '_' and '.' become '_'. A '_' is put before a leading '.' and stands for an empty
// text.
std::string plain_name(std::string_view text);

// UniqueNames returns each name as given, or with a number ("-2", "-3", ...) if it was returned before. Equal
// names take no longer the more of them there are.
class UniqueNames {
 public:
  std::string add(const std::string& name);

 private:
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::uint64_t> next_;  // by name: no smaller number is free
};

}  // namespace heddle
