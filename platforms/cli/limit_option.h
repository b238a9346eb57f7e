#pragma once
// The option --limit, which stops a run that never ends.

#include <string>
#include <vector>

#include "models/core/base/run_limit.h"
#include "platforms/cli/command_line.h"

namespace heddle {

// Declares --limit, which may be given once for each kind: a number of cycles if the run has cycles, of warp
// instructions, a time of the host.
void add_limit_option(CommandLine& verb, std::vector<std::string>& limits, bool has_cycles,
                      const std::string& fallback);

// Throws config::Error for a text that is no limit or that is given twice. "none" is no limit.
RunLimit run_limit(const std::vector<std::string>& limits, bool has_cycles);

}  // namespace heddle
