#pragma once
// Names that users give to kernels, buffers, blocks and the like.

#include <string>
#include <string_view>
#include <vector>

#include "models/core/config/config.h"

namespace heddle::config {

// Whether the text has a control character, which no name may have: names stand in tables, in files and in
// the paths of statistics.
bool has_control_character(std::string_view text);

// Returns the keys of a section whose keys are such names, and records a problem for each one with a control
// character. `what` says of what it is the name.
std::vector<std::string> names_in(const Section& section, const char* what);

}  // namespace heddle::config
