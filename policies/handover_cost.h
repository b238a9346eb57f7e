#pragma once
// The cost of taking an SM from a kernel, block by block, by each of the three ways to hand an SM over:
// drain, switch and flush. The numbers are those that Chimera compares (Park et al., ASPLOS 2015). The
// execution engine computes them when a policy asks and not before.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

// Of one resident block. A duration is the time from a block's issue by the engine to its end as the engine
// sees it, in core cycles; mean values are over the blocks of the same launch that have ended, on any SM.
struct HandoverCost {
  BlockId block;
  std::uint64_t elapsed = 0;  // core cycles since its issue: a flush throws this time away
  // Drain: estimated core cycles to its end, the mean duration less the elapsed time and not below 0. None
  // while no block of the launch has ended.
  std::optional<std::uint64_t> drain_cycles;
  // Switch: bytes of registers and shared memory that it holds, rounded up to the SM's granularity.
  std::uint64_t switch_bytes = 0;
  // Flush: estimated warp instructions that are executed again, the mean number of a block times elapsed time
  // over mean duration, and at most that mean number. None while no block of the launch has ended; 0 on timed
  // SMs.
  std::optional<std::uint64_t> flush_instructions;
};

class HandoverCosts {
 public:
  virtual ~HandoverCosts() = default;
  // Replaces `costs` by those of the kernel's blocks on the SM, by block number; none if it has no block
  // there. A vector used again and again allocates nothing.
  virtual void read(SmId sm, KsrId kernel, std::vector<HandoverCost>& costs) const = 0;
};

}  // namespace heddle
