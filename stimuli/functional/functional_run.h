#pragma once
// Executes a kernel for its results alone, without timing.

#include <cstdint>
#include <functional>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"

namespace heddle {

struct FunctionalCounts {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
};

// In which order the warps of a kernel execute. Results that differ between the two depend on a race.
enum class FunctionalOrder : std::uint8_t {
  kBlocks,       // a block that waits for no other is executed to its end before the next one starts
  kInterleaved,  // 32 blocks at a time; each of their warps in turn issues one instruction, the last one
                 // first
};
constexpr std::uint8_t kFunctionalOrders = 2;

struct FunctionalRules {
  FunctionalOrder order = FunctionalOrder::kBlocks;
  // Called after each turn of a block with the counts of the launch so far and the blocks that have ended. It
  // may throw.
  std::function<void(const FunctionalCounts&, std::uint64_t ended)> after_turn;
  // Called once where the kernel may never end: for a long time no block has ended and no change of memory
  // was seen, but registers change.
  std::function<void(const FunctionalCounts&)> suspect{};
};

// Executes all blocks to their ends. Blocks take turns, so that a block may wait for another one. Throws what
// the program's streams throw, and std::runtime_error, which says where the warps are, when no warp of a
// block can continue or when the kernel is shown to never end (see HangWatch).
FunctionalCounts run_functionally(KernelProgram& program, std::uint64_t blocks, const BlockShape& shape,
                                  const FunctionalRules& rules = {});

}  // namespace heddle
