#include "platforms/experiment/rtl_libraries.h"

#include <fmt/format.h>

#include <iostream>

#include "models/rtl/rtl_check.h"
#include "models/rtl/rtl_trial.h"
#include "platforms/rtl/rtl_build.h"

namespace heddle {

std::function<void()> note_of_making(const std::string& name, const RtlSpec& spec) {
  return
      [text = fmt::format("note: {} was not built before: Verilator and the C++ compiler make it from {}\n",
                          name, spec.file)] { std::cerr << text; };
}

void make_rtl_libraries(GpuSpec& gpu) {
  for (const std::string& name : gpu.rtl_in_use()) {
    RtlSpec& spec = gpu.rtl.at(name);
    RtlBuildOptions options;
    options.making = note_of_making("rtl." + name, spec);
    spec.source.library = build_rtl_library(spec, options);
    try_rtl_library(spec.source.library);
    check_pins(spec, *RtlLibrary::load(spec.source.library));
  }
}

std::vector<std::string> rtl_files(const GpuSpec& gpu) {
  std::vector<std::string> files;
  for (const std::string& name : gpu.rtl_in_use()) {
    files.push_back(gpu.rtl.at(name).file);
    files.push_back(gpu.rtl.at(name).source.library);
  }
  return files;
}

}  // namespace heddle
