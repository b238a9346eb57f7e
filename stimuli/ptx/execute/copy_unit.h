#pragma once
// Executes cp.async: copies from global to shared memory.

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/block_memory.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class CopyUnit {
 public:
  CopyUnit(const LaunchState& state, BlockMemory& memory, const FaultReporter& faults)
      : state_(state), memory_(memory), faults_(faults) {}

  // Copies the bytes of each active lane and fills the rest with zeros. The copy is done at once; only the SM
  // sees that it takes time. `issued` gets the lanes that read and their addresses. Throws Fault where an
  // address is misaligned or outside of its memory.
  void copy(const WarpStep& at, IssuedInstruction& issued) const;

 private:
  const LaunchState& state_;
  BlockMemory& memory_;
  const FaultReporter& faults_;
};

}  // namespace heddle::ptx
