#pragma once
// Provenance as the text of provenance.json.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/run/provenance.h"

namespace heddle {

std::string provenance_text(const Provenance& origin);

// The file of a run that was killed may be damaged, and that of another version may have other keys: both
// readers take what there is.
std::optional<double> wall_seconds_of(const std::string& text);
// Every key with its value, a text as it is and anything else as JSON; none where the text is no object.
std::optional<std::vector<std::pair<std::string, std::string>>> provenance_entries(const std::string& text);

}  // namespace heddle
