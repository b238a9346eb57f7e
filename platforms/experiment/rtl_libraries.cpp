#include "platforms/experiment/rtl_libraries.h"

#include <fmt/format.h>

#include <iostream>

#include "models/rtl/build/rtl_build.h"
#include "models/rtl/rtl_check.h"
#include "models/rtl/rtl_trial.h"

namespace heddle {

void make_rtl_libraries(GpuSpec& gpu) {
  for (const std::string& name : gpu.rtl_in_use()) {
    RtlSpec& spec = gpu.rtl.at(name);
    RtlBuildOptions options;
    options.making = [&] {
      std::cerr << fmt::format(
          "note: rtl.{} was not built before: Verilator and the C++ compiler make it from {}\n", name,
          spec.file);
    };
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
