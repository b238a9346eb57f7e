#pragma once
// Names that users give to kernels, buffers, blocks and the like, and what a message says of a name that is
// not known.

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

// Returns what ends a message about a word that is not known: "; did you mean 'x'?" for the nearest known
// name, or nothing. A `rest`, which has no capital and no full stop, follows it: "; did you mean 'x'? See
// heddle --help", or "; see heddle --help" without a near name.
std::string suggestion(std::string_view word, const std::vector<std::string>& known, std::string rest = "");
// Returns the same with all known names behind it: "; did you mean 'x'? Known: x, y".
std::string suggestion_and_known(std::string_view word, const std::vector<std::string>& known);

}  // namespace heddle::config
