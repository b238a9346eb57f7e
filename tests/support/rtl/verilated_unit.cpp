#include "tests/support/rtl/verilated_unit.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/rtl/child_process.h"
#include "platforms/rtl/rtl_build.h"
#include "tests/support/paths.h"

namespace heddle::test {

namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

RtlSpec spec_of(const UnitSources& unit) {
  RtlSpec spec;
  spec.name = spec.place = spec.source.top = unit.top;
  for (const std::string& file : unit.files)
    spec.source.files.push_back(source_directory() + "/stimuli/rtl/" + file);
  spec.source.parameters = unit.parameters;
  return spec;
}

// The compiler has read the headers that all libraries include before.
std::string build(const RtlSpec& spec) {
  ::setenv("HEDDLE_CACHE", (rtl_directory() + "/cache").c_str(), 1);
  ::setenv("CXX", HEDDLE_CXX, 1);
  return build_rtl_library(spec);
}

}  // namespace

bool verilator_is_installed() {
  return run_tool({"verilator", "--version"}).started;
}

std::vector<std::string> texts_of(const UnitSources& unit) {
  std::vector<std::string> texts;
  for (const std::string& file : spec_of(unit).source.files) texts.push_back(read(file));
  return texts;
}

std::shared_ptr<const RtlLibrary> library_of(const UnitSources& unit) {
  return RtlLibrary::load(build(spec_of(unit)));
}

std::string make_library(const UnitSources& unit, const std::string& name,
                         const std::vector<std::string>& texts) {
  RtlSpec spec = spec_of(unit);
  spec.source.options = {"-Wno-lint", "-Wno-UNOPTFLAT"};  // a wrong text may have warnings
  const fs::path folder = fs::path(rtl_directory()) / "texts" / name;
  fs::create_directories(folder);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    spec.source.files[i] = folder / unit.files[i];
    if (read(spec.source.files[i]) != texts[i]) std::ofstream(spec.source.files[i]) << texts[i];
  }
  return build(spec);
}

std::string said_by(std::vector<std::string> tool, const UnitSources& unit) {
  tool.insert(tool.end(), unit.files.begin(), unit.files.end());
  const ChildOutput output = run_tool(tool, source_directory() + "/stimuli/rtl");
  return output.text + output.end;
}

}  // namespace heddle::test
