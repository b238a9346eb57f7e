#include "platforms/rtl/rtl_tools.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "models/core/config/config.h"
#include "models/rtl/child_process.h"

namespace heddle {

namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string variable(const char* name, const std::string& fallback) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

// Returns the first line of a tool's answer, or an empty text if the tool cannot be run.
std::string answer(const std::vector<std::string>& question) {
  const ChildOutput output = run_tool(question);
  return output.started && output.end.empty() ? first_line(output.text) : "";
}

}  // namespace

RtlTools find_rtl_tools(const std::string& verilator) {
  RtlTools tools;
  tools.verilator = verilator.empty() ? variable("HEDDLE_VERILATOR", "verilator") : verilator;
  tools.verilator_version = answer({tools.verilator, "--version"});
  if (tools.verilator_version.empty())
    throw config::Error({fmt::format(
        "'{}' cannot be run, and an RTL block of sources needs Verilator: install Debian's package "
        "verilator, "
        "or name the program with --verilator or $HEDDLE_VERILATOR; a block that names a ready library needs "
        "none",
        tools.verilator)});
  const std::string compiler = variable("CXX", "c++");
  std::istringstream words(compiler);
  for (std::string word; words >> word;) tools.compiler.push_back(word);
  std::vector<std::string> question = tools.compiler;
  question.emplace_back("--version");
  tools.compiler_version = answer(question);
  if (tools.compiler_version.empty())
    throw config::Error({fmt::format(
        "the C++ compiler '{}' cannot be run: install Debian's package g++, or name a compiler with $CXX",
        compiler)});
  return tools;
}

std::string runtime_folder_of(const RtlTools& tools) {
  const std::string root = answer({tools.verilator, "--getenv", "VERILATOR_ROOT"});
  if (root.empty())
    throw config::Error({fmt::format("'{} --getenv VERILATOR_ROOT' prints nothing", tools.verilator)});
  return root + "/include";
}

}  // namespace heddle
