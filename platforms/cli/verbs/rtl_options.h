#pragma once
// What the verbs of `heddle rtl` share.

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "models/rtl/build/rtl_build.h"
#include "models/rtl/rtl_library.h"

namespace heddle {

struct RtlOptions {
  std::string block;  // by name or YAML file
  RtlBuildOptions build;
};

void declare_rtl_options(CLI::App& verb, RtlOptions& options);

// Loads the block's library, which is made if the cache does not have it. Throws config::Error.
std::shared_ptr<const RtlLibrary> load_rtl_library(const RtlSpec& spec, const RtlBuildOptions& options);

}  // namespace heddle
