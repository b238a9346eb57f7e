#pragma once
// The tools that make the library of a block: Verilator and a C++ compiler.

#include <string>
#include <vector>

namespace heddle {

struct RtlTools {
  std::string verilator;              // program, by name or path
  std::string verilator_version;      // "Verilator 5.006 2023-01-22 rev (Debian 5.006-3)"
  std::vector<std::string> compiler;  // program, and options such as those of "ccache c++"
  std::string compiler_version;       // the first line that it prints about itself
};

// Finds the tools. Verilator is `verilator`, else $HEDDLE_VERILATOR, else "verilator" on $PATH; the compiler
// is $CXX, which may be several words, else "c++". Throws config::Error that names the package of a tool that
// is not found.
RtlTools find_rtl_tools(const std::string& verilator);

// Returns the folder of Verilator's run-time sources. Throws config::Error.
std::string runtime_folder_of(const RtlTools& tools);

}  // namespace heddle
