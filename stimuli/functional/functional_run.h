#pragma once
// Executes a kernel without a machine: for its results alone.

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"

namespace heddle {

struct FunctionalCounts {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
};

// All blocks, to their ends. Blocks take turns, so that those which wait for others do not wait for ever;
// one that ends within its turn is never resident beside another. Throws what the program's streams throw,
// and std::runtime_error where no warp of a block can go on.
FunctionalCounts run_functionally(KernelProgram& program, std::uint64_t blocks, const BlockShape& shape);

}  // namespace heddle
