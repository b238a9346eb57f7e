#pragma once
// Enumerates the ways in which blocks of several applications share an SM.

#include <cstdint>
#include <vector>

#include "models/core/kernel/kernel.h"
#include "platforms/experiment/experiment.h"

namespace heddle {

// Returns the combinations of block counts, at least one for each kernel, that fit an SM together. They are
// in ascending order; the count of the last kernel varies fastest.
std::vector<std::vector<std::uint32_t>> partitions_of(const std::vector<BlockResources>& kernels,
                                                      const SmLimits& limits);

// The same for the applications of an experiment. Each application stands for its kernel of which an SM holds
// the most blocks.
std::vector<std::vector<std::uint32_t>> partitions_of(const Experiment& experiment);

}  // namespace heddle
