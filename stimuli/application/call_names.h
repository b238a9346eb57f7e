#pragma once
// This file has the names in a YAML program: the verbs of its calls, and the items to which calls refer.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/core/config/config.h"

namespace heddle {

// Returns the first key of the call that is one of `known`. The result is empty after the problem that the
// call is no section or has no such key; the other keys of the section are then accepted without further
// problems.
std::string verb_of(const config::Value& call, const std::vector<std::string>& known);

// Returns the index of `name` in `names`; names.size() after recording "no WHAT 'NAME'; did you mean ...?".
std::uint32_t index_of(const char* what, const config::Value& value, const std::string& name,
                       const std::vector<std::string>& names);

// Names with their numbers, found at once however many there are. Of equal names the first one is found.
class NumberedNames {
 public:
  NumberedNames() = default;
  explicit NumberedNames(const std::vector<std::string>& names);

  std::uint32_t add(const std::string& name);  // returns its number, which is an old one for a known name
  // The same as index_of() with a list of the names.
  std::uint32_t find(const char* what, const config::Value& value, const std::string& name) const;
  std::uint32_t size() const { return size_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::uint32_t size_ = 0;  // names that were given, equal ones included
};

// Returns the names of the items, in their order.
template <class Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const Item& item : items) names.push_back(item.name);
  return names;
}

}  // namespace heddle
