#pragma once
// The cost of taking an SM from a kernel, block by block, by each of the three ways to hand an SM over:
// drain, switch and flush. The numbers are those that Chimera compares (Park et al., ASPLOS 2015). The
// execution engine computes them when a policy asks and not before.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

// The costs of one resident block. The duration of a block is the time from its issue by the engine to the
// arrival of its end there, in core cycles. Mean values are taken over the blocks of the same launch that
// have ended on any SM.
struct HandoverCost {
  BlockId block;
  std::uint64_t elapsed = 0;  // core cycles since its issue; a flush loses them
  // Drain: the estimate of the core cycles until the block ends, which is the mean duration less the elapsed
  // time and not below 0. There is no estimate while no block of the launch has ended.
  std::optional<std::uint64_t> drain_cycles;
  // Switch: bytes of registers and shared memory that the block holds, rounded up to the SM's granularity.
  std::uint64_t switch_bytes = 0;
  // Flush: the estimate of the warp instructions that are executed again. It is the mean number of a block
  // times elapsed time over mean duration, and at most the mean number. There is no estimate while no block
  // of the launch has ended, and it is 0 on timed SMs.
  std::optional<std::uint64_t> flush_instructions;
};

class HandoverCosts {
 public:
  virtual ~HandoverCosts() = default;
  // Replaces the contents of `costs` by those of the kernel's blocks on the SM that are not being saved or
  // flushed already, in order of block number. A vector that is reused causes no allocation.
  virtual void read(SmId sm, KsrId kernel, std::vector<HandoverCost>& costs) const = 0;
};

}  // namespace heddle
