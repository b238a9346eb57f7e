#pragma once
// Why blocks of PTX kernels may not start over, as heddle list and heddle check print it.

#include <string>
#include <string_view>
#include <vector>

#include "stimuli/ptx/analysis/restart.h"

namespace heddle {

// Returns a line for each reason: "FILE:17: KERNEL: an atomic in global memory: atom.global.add.u32 ...". The
// last part is the line of `text`, which is the PTX of the file.
std::vector<std::string> restart_reasons(const ptx::RestartVerdict& verdict, const std::string& kernel,
                                         const std::string& file, std::string_view text);

// Prints them under a heading; nothing without a reason.
void print_restarts(const std::vector<std::string>& reasons);

}  // namespace heddle
