#pragma once
// What the verbs of `heddle rtl` share.

#include <memory>
#include <string>
#include <vector>

#include "models/rtl/rtl_block.h"
#include "models/rtl/rtl_library.h"
#include "models/rtl/rtl_spec.h"
#include "platforms/cli/command_line.h"
#include "platforms/rtl/rtl_build.h"

namespace heddle {

struct RtlOptions {
  std::string block;  // by name or YAML file
  RtlBuildOptions build;
  bool trust = false;
};

void declare_rtl_options(CommandLine& verb, RtlOptions& options);

// Loads the block, which the user may trust. With `problems`, what is wrong is added there; else it throws
// config::Error.
RtlSpec load_rtl_block(const RtlOptions& options, std::vector<std::string>* problems = nullptr);

// Returns a machine in which every clock that the block has is as fast.
RtlPeriods equal_periods(const RtlSpec& spec);

// Returns the file of the block's library, and says on stderr where it is made first. Throws as
// build_rtl_library() does.
std::string make_rtl_library(const RtlSpec& spec, RtlBuildOptions options);

// Loads the block's library, which is made if the cache does not have it. Throws config::Error.
std::shared_ptr<const RtlLibrary> load_rtl_library(const RtlSpec& spec, const RtlBuildOptions& options);

}  // namespace heddle
