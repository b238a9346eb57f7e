#pragma once
// The `code` of an application's kernel. README, "Synthetic kernels", shows every key.

#include "models/core/config/config.h"
#include "stimuli/synthetic/access_reader.h"
#include "stimuli/synthetic/synthetic_kernel.h"

namespace heddle {

// Reads `code` and `seed` of a kernel of this shape, and gives its values registers. Problems are recorded;
// a kernel with problems is not to be laid out.
SyntheticKernel read_synthetic_kernel(const config::Section& section, std::uint64_t blocks,
                                      const BlockShape& shape, VirtualSpace& space);

}  // namespace heddle
