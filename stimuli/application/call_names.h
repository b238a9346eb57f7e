#pragma once
// Names in a program in YAML: of its calls, and of what they call.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/config/config.h"

namespace heddle {

// The first of the call's keys that is one of `known`. Empty after a problem: it is no section, or there is
// none; what the section holds is then no second problem.
std::string verb_of(const config::Value& call, const std::vector<std::string>& known);

// The index of that name; names.size() after recording "no WHAT 'NAME'; did you mean ...?".
std::uint32_t index_of(const char* what, const config::Value& value, const std::string& name,
                       const std::vector<std::string>& names);

// Names of items that have one.
template <class Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const Item& item : items) names.push_back(item.name);
  return names;
}

}  // namespace heddle
