#pragma once
// This file has the names in a YAML program: the verbs of its calls, and the items to which calls refer.

#include <cstdint>
#include <string>
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

// Returns the names of the items, in their order.
template <class Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const Item& item : items) names.push_back(item.name);
  return names;
}

}  // namespace heddle
