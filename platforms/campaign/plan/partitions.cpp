#include "platforms/campaign/plan/partitions.h"

namespace heddle {

namespace {

void add(const std::vector<BlockResources>& kernels, const SmLimits& limits, const BlockResources& used,
         std::vector<std::uint32_t>& blocks, std::vector<std::vector<std::uint32_t>>& found) {
  if (blocks.size() == kernels.size()) {
    found.push_back(blocks);
    return;
  }
  const BlockResources& block = kernels[blocks.size()];
  BlockResources held = used;
  for (std::uint32_t count = 1; fits(held, block, limits); ++count) {
    held += block;
    blocks.push_back(count);
    add(kernels, limits, held, blocks, found);
    blocks.pop_back();
  }
}

}  // namespace

std::vector<std::vector<std::uint32_t>> partitions_of(const std::vector<BlockResources>& kernels,
                                                      const SmLimits& limits) {
  std::vector<std::vector<std::uint32_t>> found;
  std::vector<std::uint32_t> blocks;
  add(kernels, limits, {}, blocks, found);
  return found;
}

std::vector<std::vector<std::uint32_t>> partitions_of(const Experiment& experiment) {
  const SmLimits& limits = experiment.platform.sm.limits;
  std::vector<BlockResources> blocks;
  for (const ExperimentApplication& use : experiment.applications) {
    blocks.emplace_back();
    std::uint32_t most = 0;
    for (const ApiKernel& kernel : use.application.program.kernels) {
      const std::uint32_t resident = residency_of(kernel.shape, limits).blocks;
      if (resident <= most) continue;
      most = resident;
      blocks.back() = resources_of(kernel.shape, limits);
    }
  }
  return partitions_of(blocks, limits);
}

}  // namespace heddle
