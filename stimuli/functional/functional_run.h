#pragma once
// Executes a kernel for its results alone, without timing.

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"

namespace heddle {

struct FunctionalCounts {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
};

// Executes all blocks to their ends. Blocks take turns, so that a block may wait for another one. A block
// that ends within its first turn is resident alone. Throws what the program's streams throw, and
// std::runtime_error when no warp of a block can continue.
FunctionalCounts run_functionally(KernelProgram& program, std::uint64_t blocks, const BlockShape& shape);

}  // namespace heddle
