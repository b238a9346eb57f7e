#pragma once
// What special registers hold.

#include <cstddef>
#include <cstdint>

#include "stimuli/ptx/execute/entry_code.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle::ptx {

// Where a warp is. Of what only a machine knows (SM, grid) there is one, with the number 0.
struct WarpPlace {
  const Launch& launch;
  Dim3 block;                // its position in the grid
  std::uint32_t number = 0;  // in the block
  std::uint32_t warps = 0;   // of the block
  std::uint64_t shared = 0;  // bytes of the block
  std::uint64_t now = 0;     // what clocks and timers tell
};

bool is_clock(Special special);
// A row of the warp: 32 lanes of 64 bits, or of 32 with what does not fit cut off.
void fill_special(const SpecialRow& row, const WarpPlace& place, std::byte* to);

}  // namespace heddle::ptx
