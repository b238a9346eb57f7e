#include "policies/resource_manager/i_resource_manager.h"

namespace heddle {

namespace {

class StaticResources final : public ResourceManager {
 public:
  explicit StaticResources(const PolicyParameters&) {}
  static std::string misfit(const GpuDescription& gpu, const PolicyParameters&) {
    return gpu.has_faults ? "static cannot keep blocks from faulty resources" : "";
  }
};

HEDDLE_POLICY(ResourceManager, StaticResources, "static",
              "a block holds all its resources from its start to its end", "Zorua, Section 2", {});

}  // namespace

}  // namespace heddle
