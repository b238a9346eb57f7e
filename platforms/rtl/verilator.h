#pragma once
// Verilator as the maker of C++: its command line, its messages and what it has read.

#include <string>
#include <vector>

#include "models/rtl/rtl_spec.h"
#include "platforms/rtl/library_cache.h"
#include "platforms/rtl/rtl_tools.h"

namespace heddle {

// Returns Verilator's command line for a block, without the folder for what it makes.
std::vector<std::string> verilator_arguments(const RtlTools& tools, const RtlSource& source);

// Returns Verilator's configuration that publishes the signals of counters, so that the library can read
// them. Without it they may be optimised away.
std::string publishing_of(const RtlSource& source, const std::vector<RtlCounter>& counters);

// Returns what Verilator has read, by the record in the folder of what it has made, and the folders in which
// it looks for files.
RtlInputs read_inputs(const RtlSource& source, const std::string& made);

// Returns the first error or warning in what Verilator has printed, such as "a.sv:3:7: syntax error".
std::string first_problem(const std::string& output);

// Returns the names of the published variables in the classes that Verilator has made, by scopes below the
// top. It is empty if the classes are of an unknown form.
std::vector<std::string> published_variables(const std::string& made, const std::string& top);

}  // namespace heddle
