#pragma once
// What the points of a campaign have in common, each loaded once: platforms and launch files. The files must
// stay as they are. Several threads may use it.

#include <cstddef>
#include <string>
#include <vector>

#include "models/core/base/memo.h"
#include "models/gpu/gpu_spec.h"
#include "stimuli/launch/launch_application.h"

namespace heddle {

struct ResolvedPlatform {
  GpuSpec spec;
  std::string yaml;
};

struct LoadedInputs {
  static constexpr std::size_t kMostPlatforms = 64;

  // By the platform's file, the settings of --set that change it, and the decisions that have another policy
  // in every run.
  using PlatformKey = std::vector<std::vector<std::string>>;

  LoadedLaunches launches;
  Memo<PlatformKey, ResolvedPlatform> platforms{kMostPlatforms};
};

}  // namespace heddle
