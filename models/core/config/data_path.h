#pragma once
// These functions find platforms, applications, experiments, campaigns and scripts.

#include <string>
#include <vector>

namespace heddle {

// Returns whether `what` is a file, which has a slash or the ending .yaml, .yml, .ptx or .hcap, and not a
// name.
bool is_file_name(const std::string& what);

// Returns the path of `what`, which is a name or a file. The search for a file that another file (`beside`)
// names starts next to that file. A name stands for <name><extension> in `folder` ("platforms",
// "stimuli/applications", "stimuli/experiments", "stimuli/campaigns") of these directories, in order:
// $HEDDLE_DATA, then the installed data beside the library, or the source tree if the library is not
// installed. Throws config::Error if there is no
// such file or name; it names the nearest known name.
std::string find_data(const std::string& folder, const std::string& what, const std::string& beside = "",
                      const std::string& extension = ".yaml");

// Returns the path of a program that comes with Heddle: scripts/<name> of the same directories. Throws
// config::Error.
std::string find_script(const std::string& name);

// Returns the path of the file with the trees of the documents that come with Heddle: beside the installed
// data, or beside the library if it is not installed. Nobody has to have made it.
std::string stored_documents_file();

// Returns the folder of Heddle's own CUDA runtimes, whose files have their sonames.
std::string runtime_folder();

// Returns the folder of what Heddle keeps between runs of this user: $HEDDLE_CACHE, else
// $XDG_CACHE_HOME/heddle, else ~/.cache/heddle. It is empty if none of the variables is set, and if nothing
// is to be kept.
std::string user_cache_folder();
// Returns whether nothing is to be kept between runs: $HEDDLE_CACHE is "none".
bool is_cache_off();

// Returns whether known_data() has the name.
bool has_data(const std::string& folder, const std::string& name, const std::string& extension = ".yaml");
// Returns the names known in `folder`, sorted.
std::vector<std::string> known_data(const std::string& folder, const std::string& extension = ".yaml");

}  // namespace heddle
