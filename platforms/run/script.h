#pragma once
// The programs of scripts/ that draw.

#include <string>
#include <vector>

namespace heddle {

// Runs one of them and returns its exit code. Throws config::Error where it does not lie beside Heddle's
// platforms, OutputError where it cannot be started.
int run_script(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace heddle
