#pragma once
// The codec of provenance.json.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/run/provenance.h"

namespace heddle {

std::string provenance_text(const Provenance& origin);

// Both readers accept damaged text and unknown keys, because a run may have been killed and another version
// has other keys. wall_seconds_of() returns none if the text does not hold that value.
std::optional<double> wall_seconds_of(const std::string& text);
// Returns every key with its value. A text is returned without quotes, any other value as JSON. Returns none
// if the text is no JSON object.
std::optional<std::vector<std::pair<std::string, std::string>>> provenance_entries(const std::string& text);

}  // namespace heddle
