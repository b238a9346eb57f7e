#pragma once
// This function gives the time for which a block of the timed SM holds its resources.

#include "models/core/kernel/kernel.h"

namespace heddle {

// Returns the residence time of `block` in core cycles, at least 1. It is drawn uniformly from
// launch.block_cycles +- launch.jitter_permille / 1000 of it. The draw depends only on launch.seed and the
// block, so it is the same on every SM and in every cycle.
std::uint64_t residence_of(const KernelLaunch& launch, BlockId block);

}  // namespace heddle
