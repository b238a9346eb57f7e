#pragma once
// The RegisterPool has the registers of a thread block that setmaxnreg moves from one warp to another (PTX
// ISA, setmaxnreg). A block keeps the registers that it started with until it ends.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class RegisterPool {
 public:
  static constexpr std::uint32_t kLeast = 24;  // registers of a thread that setmaxnreg takes
  static constexpr std::uint32_t kMost = 256;
  static constexpr std::uint32_t kGranularity = 8;

  // `per_thread`: the registers of a thread when a block starts; 0: setmaxnreg has no effect, because the
  // compiler could not know them.
  RegisterPool(std::uint32_t per_thread, std::size_t warps, const FaultReporter& faults)
      : per_thread_(per_thread), held_(warps, per_thread), faults_(faults) {}

  void start();
  // Returns whether the warp must wait until other warps have released the registers that it asks for.
  bool waits(const WarpStep& at) const;
  // Executes setmaxnreg, for which the warp does not have to wait. Throws Fault where the number is out of
  // range, where an increase is a decrease, and the other way round.
  void execute(const WarpStep& at);

 private:
  static std::uint32_t wanted(const WarpStep& at) {
    return static_cast<std::uint32_t>(lane_value(at, at.step.source[0], at.first_lane()));
  }

  const std::uint32_t per_thread_;
  std::vector<std::uint32_t> held_;  // by warp, for each of its threads
  std::uint32_t free_ = 0;           // for each thread of one warp
  const FaultReporter& faults_;
};

}  // namespace heddle::ptx
