#pragma once
// Throws the faults of a block with their place: file and line, kernel, block, thread and program counter.

#include <cstdint>
#include <string>

#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class FaultReporter {
 public:
  explicit FaultReporter(const LaunchState& state) : state_(state) {}

  // Faults from now on are those of the block at this position of the grid.
  void start(const Dim3& block) { block_ = block; }

  // Both throw Fault.
  [[noreturn]] void raise(const WarpStep& at, std::uint32_t lane, const std::string& problem) const;
  // The lane's access to device memory at `address` does not lie in one allocation.
  [[noreturn]] void raise_outside(const WarpStep& at, std::uint32_t lane, Address address) const;

 private:
  const LaunchState& state_;
  Dim3 block_;
};

}  // namespace heddle::ptx
