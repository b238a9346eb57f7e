#include "models/core/config/config_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::config {

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

std::vector<std::string> names_in(const Section& section, const char* what) {
  std::vector<std::string> names = section.keys();
  for (const std::string& name : names)
    if (has_control_character(name))
      section.value(name).problem(fmt::format("the name of a {} has no control characters", what));
  return names;
}

}  // namespace heddle::config
