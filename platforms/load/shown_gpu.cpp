#include "stimuli/capture/runtime/shown_gpu.h"

#include "platforms/load/platform_loader.h"

namespace heddle::capture {

GpuSpec shown_gpu(const std::string& platform) {
  return load_platform(platform);
}

}  // namespace heddle::capture
