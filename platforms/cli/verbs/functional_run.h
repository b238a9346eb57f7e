#pragma once
// `heddle run --functional`: a launch file or a captured program executed without a machine.

#include <string>

#include "models/core/base/run_limit.h"
#include "platforms/cli/command_line.h"
#include "platforms/experiment/overrides.h"
#include "stimuli/functional/functional_run.h"

namespace heddle {

// Declares --order, in which kernels are executed without a machine: the name of a FunctionalOrder.
void add_order_option(CommandLine& verb, std::string& order);
FunctionalOrder functional_order(const std::string& name);

// Executes `program`, a launch file's name or file or a captured program's .hcap, checks its results and
// prints a summary. The sets of `overrides` are parameters.NAME=VALUE of a launch file. What the kernels
// print goes to standard output, or with `json` into the one object that is printed. Throws config::Error for
// bad input, std::runtime_error if the check fails or the limit is reached. Returns the exit code.
int run_functionally(const std::string& program, const Overrides& overrides, FunctionalOrder order,
                     const RunLimit& limit, bool json);

}  // namespace heddle
