#include "models/core/config/config_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/config/config_units.h"

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

std::string suggestion(std::string_view word, const std::vector<std::string>& known, std::string rest) {
  const std::string nearest = nearest_name(word, known);
  if (nearest.empty()) return rest.empty() ? "" : "; " + rest;
  if (!rest.empty() && rest[0] >= 'a' && rest[0] <= 'z') rest[0] = static_cast<char>(rest[0] - 'a' + 'A');
  return fmt::format("; did you mean '{}'?{}{}", detail::shown(nearest), rest.empty() ? "" : " ", rest);
}

std::string suggestion_and_known(std::string_view word, const std::vector<std::string>& known) {
  return suggestion(word, known,
                    known.empty() ? "known: none" : fmt::format("known: {}", fmt::join(known, ", ")));
}

}  // namespace heddle::config
