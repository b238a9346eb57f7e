#pragma once
// Where platforms, applications and experiments lie.

#include <string>
#include <vector>

namespace heddle {

// A name or a file. "x/y.yaml" (with a slash or the ending .yaml) is a file, relative to `beside` if it does
// not exist as given; a plain name is looked for as <name>.yaml in `folder` ("platforms",
// "stimuli/applications", "stimuli/experiments") of the directories below, in order: $HEDDLE_DATA, the
// installed data next to the library, the source tree. Throws config::Error naming the nearest known name.
std::string find_data(const std::string& folder, const std::string& what, const std::string& beside = "");

// Names known in `folder`, sorted.
std::vector<std::string> known_data(const std::string& folder);

}  // namespace heddle
