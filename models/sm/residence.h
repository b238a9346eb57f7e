#pragma once
// How long a block of the timed SM stays.

#include "models/core/kernel/kernel.h"

namespace heddle {

// Core cycles of residence of `block`: launch.block_cycles, spread uniformly by launch.jitter_permille to
// either side. The draw depends on launch.seed and the block alone, not on when or where it runs. At least 1.
std::uint64_t residence_of(const KernelLaunch& launch, BlockId block);

}  // namespace heddle
