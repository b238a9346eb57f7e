#pragma once
// Every way in which blocks of several applications share an SM.

#include <cstdint>
#include <vector>

#include "models/core/kernel/kernel.h"
#include "platforms/experiment/experiment.h"

namespace heddle {

// Blocks by kernel, one or more each, that fit an SM together; ascending, the last kernel's fastest.
std::vector<std::vector<std::uint32_t>> partitions_of(const std::vector<BlockResources>& kernels,
                                                      const SmLimits& limits);

// The same of an experiment's applications, each by that kernel of it of which an SM holds the most blocks.
std::vector<std::vector<std::uint32_t>> partitions_of(const Experiment& experiment);

}  // namespace heddle
