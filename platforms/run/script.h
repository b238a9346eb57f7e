#pragma once
// The plotting programs of scripts/.

#include <string>
#include <vector>

namespace heddle {

// Runs a script and returns its exit code. Throws config::Error if there is no such script in Heddle's data,
// and OutputError if it cannot be started.
int run_script(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace heddle
