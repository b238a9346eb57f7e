#include "platforms/experiment/rtl_libraries.h"

#include <set>

#include "models/rtl/build/rtl_build.h"
#include "models/rtl/rtl_check.h"

namespace heddle {

namespace {

std::set<std::string> named_blocks(const GpuSpec& gpu) {
  std::set<std::string> names;
  for (const auto& [decision, choice] : gpu.policies)
    if (const std::string name = rtl_block_of(choice.name); gpu.rtl.count(name) > 0) names.insert(name);
  return names;
}

}  // namespace

void make_rtl_libraries(GpuSpec& gpu) {
  for (const std::string& name : named_blocks(gpu)) {
    RtlSpec& spec = gpu.rtl.at(name);
    spec.source.library = build_rtl_library(spec);
    check_pins(spec, *RtlLibrary::load(spec.source.library));
  }
}

std::vector<std::string> rtl_files(const GpuSpec& gpu) {
  std::vector<std::string> files;
  for (const std::string& name : named_blocks(gpu)) {
    files.push_back(gpu.rtl.at(name).file);
    files.push_back(gpu.rtl.at(name).source.library);
  }
  return files;
}

}  // namespace heddle
