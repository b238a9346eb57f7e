#include "policies/sm_partitioner/water_filling.h"

namespace heddle {

namespace {

// The next larger number of blocks with a better performance than `blocks`, or `blocks` if there is none.
std::uint32_t next_better(const std::vector<double>& performance, std::uint32_t blocks) {
  for (std::size_t more = blocks; more < performance.size(); ++more)
    if (performance[more] > performance[blocks - 1]) return static_cast<std::uint32_t>(more + 1);
  return blocks;
}

// The kernel with the smallest performance among those that are not full, or kernels.size() if all are full.
std::size_t worst(const std::vector<SharingKernel>& kernels, const std::vector<std::uint32_t>& blocks,
                  const std::vector<bool>& full) {
  std::size_t found = kernels.size();
  double least = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (full[i]) continue;
    const double performance = kernels[i].performance[blocks[i] - 1];
    if (found != kernels.size() && performance >= least) continue;
    found = i;
    least = performance;
  }
  return found;
}

}  // namespace

std::vector<std::uint32_t> WaterFillingUnit::fill(const std::vector<SharingKernel>& kernels,
                                                  const SmLimits& limits, Cycle) {
  return water_fill(kernels, limits);
}

std::vector<std::uint32_t> water_fill(const std::vector<SharingKernel>& kernels, const SmLimits& limits) {
  BlockResources used;
  for (const SharingKernel& kernel : kernels) {
    if (!fits(used, kernel.block, limits)) return {};
    used += kernel.block;
  }
  std::vector<std::uint32_t> blocks(kernels.size(), 1);
  std::vector<bool> full(kernels.size(), false);
  for (std::size_t i; (i = worst(kernels, blocks, full)) != kernels.size();) {
    const std::uint32_t next = next_better(kernels[i].performance, blocks[i]);
    BlockResources raised = used;
    bool raises = next > blocks[i];
    for (std::uint32_t more = blocks[i]; more < next && raises; ++more) {
      raises = fits(raised, kernels[i].block, limits);
      raised += kernels[i].block;
    }
    if (raises) {
      used = raised;
      blocks[i] = next;
    } else {
      full[i] = true;
    }
  }
  return blocks;
}

}  // namespace heddle
