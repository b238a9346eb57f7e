// The GPU is not split: all applications share it.

#include "policies/instances/i_instances.h"

namespace heddle {

namespace {

class Whole final : public Instances {
 public:
  explicit Whole(const PolicyParameters&) {}
  std::vector<Instance> split(const GpuDescription&, std::size_t) const override { return {}; }
};

HEDDLE_POLICY(Instances, Whole, "whole", "the GPU is one, and all applications share it",
              "CUsched, Section II-A", {});

}  // namespace

}  // namespace heddle
