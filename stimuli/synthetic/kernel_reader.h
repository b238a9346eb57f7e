#pragma once
// This file reads the `code` of a kernel of an application. stimuli/KERNELS.md, "Synthetic kernels", shows
// every key.

#include "models/core/config/config.h"
#include "stimuli/synthetic/access_reader.h"
#include "stimuli/synthetic/synthetic_kernel.h"

namespace heddle {

// Reads `code` and `seed` of a kernel of this shape, and assigns registers to its values. Problems are
// recorded. A kernel with problems must not be given to lay_out().
SyntheticKernel read_synthetic_kernel(const config::Section& section, std::uint64_t blocks,
                                      const BlockShape& shape, VirtualSpace& space);

}  // namespace heddle
