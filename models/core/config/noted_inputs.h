#pragma once
// The inputs of this process, so that no result replaces one: a file that a platform or an experiment names
// is as much an input as one of the command line. Every reader notes what it reads.

#include <string>

namespace heddle::config {

void note_input(const std::string& file);

// Returns the name under which the file at `path` was read, which may be another name or another link; empty
// if no input stands there.
std::string input_at(const std::string& path);

}  // namespace heddle::config
