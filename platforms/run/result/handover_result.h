#pragma once
// The hand-overs of SMs in a run, as plain values: how long it took from the decision to preempt a slice
// until it held nothing of its SM any more, and the work that was lost by flushes.

#include <cstdint>
#include <string>

#include "platforms/run/result/time_summary.h"

namespace heddle {

struct HandoverResult {
  std::string way;  // "all", or how the blocks left: a name of HandoverWay
  std::uint64_t count = 0;
  TimeSummary latency;
};

// What blocks of a kernel had done when they were flushed, and did again later.
struct LostWork {
  std::uint64_t blocks_flushed = 0;  // a block counts each time
  std::uint64_t block_cycles = 0;    // core cycles from the issue of each, without those in swap space
  std::uint64_t warp_instructions = 0;

  LostWork& operator+=(const LostWork& other) {
    blocks_flushed += other.blocks_flushed;
    block_cycles += other.block_cycles;
    warp_instructions += other.warp_instructions;
    return *this;
  }
};

}  // namespace heddle
