#pragma once
// Computes the values of special registers.

#include <cstddef>
#include <cstdint>

#include "stimuli/ptx/execute/launch.h"
#include "stimuli/ptx/steps/entry_code.h"

namespace heddle::ptx {

// The position of a warp in its launch. Execution has no SMs and no concurrent grids: %smid and %gridid are
// 0.
struct WarpPlace {
  const Launch& launch;
  Dim3 block;                // position of the block in the grid
  Dim3 cluster;              // blocks of a cluster
  std::uint32_t number = 0;  // of the warp in the block
  std::uint32_t warps = 0;   // of the block
  std::uint64_t shared = 0;  // bytes of the block
  std::uint64_t now = 0;     // value of clocks and timers; see IssuedInstruction::now
};

// Writes a row of 32 lanes with 64 or 32 bits each; values are truncated to the row's bits.
void fill_special(const SpecialRow& row, const WarpPlace& place, std::byte* to);

}  // namespace heddle::ptx
