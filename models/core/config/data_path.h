#pragma once
// Where platforms, applications, experiments, campaigns and scripts lie.

#include <string>
#include <vector>

namespace heddle {

// Whether `what` is a file, with a slash or the ending .yaml, .yml, .ptx or .hcap, rather than a name.
bool is_file_name(const std::string& what);

// A name or a file. A file that another one (`beside`) names is looked for next to that one first. A plain
// name is looked for as <name><extension> in `folder` ("platforms", "stimuli/applications",
// "stimuli/experiments", "stimuli/campaigns") of the directories below, in order: $HEDDLE_DATA, the installed
// data beside the library, the source tree. Throws config::Error: no such file, or a name that is not known,
// with the nearest that is.
std::string find_data(const std::string& folder, const std::string& what, const std::string& beside = "",
                      const std::string& extension = ".yaml");

// A program that comes with Heddle: scripts/<name> of the same directories. Throws config::Error.
std::string find_script(const std::string& name);

// Where Heddle's own CUDA runtimes lie, by their sonames.
std::string runtime_folder();

// Names known in `folder`, sorted.
std::vector<std::string> known_data(const std::string& folder, const std::string& extension = ".yaml");

}  // namespace heddle
