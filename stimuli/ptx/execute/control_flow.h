#pragma once
// Decides where the lanes of a warp continue: branches, calls, returns and exits.

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/device_functions.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class ControlFlow {
 public:
  ControlFlow(const LaunchState& state, DeviceFunctions& device_functions, const FaultReporter& faults)
      : state_(state), device_functions_(device_functions), faults_(faults) {}

  // Sets the warp's next instruction after the step at `next` - 1, which has done everything else. Sets
  // `ended` and `redirected` of `issued`. Throws Fault where a stack overflows or a device function fails.
  void update_next_instruction(const WarpStep& at, std::uint32_t next, IssuedInstruction& issued);

  // If the next step of the warp needs several lanes together, the paths of these lanes run first.
  void gather(Warp& warp) const {
    if (state_.independent_threads && warp.stack().depth() > 1) gather_members(warp);
  }

 private:
  void gather_members(Warp& warp) const;
  void branch(const WarpStep& at, std::uint32_t next);
  void arrive(const WarpStep& at, std::uint32_t next);
  void call(const WarpStep& at, std::uint32_t next);
  void call_by_address(const WarpStep& at, std::uint32_t next);
  std::uint32_t function_at(const WarpStep& at, std::uint64_t address) const;
  void enter(const WarpStep& at, std::uint32_t function);
  void leave(const WarpStep& at, std::uint32_t next);
  void end_calls(const WarpStep& at);

  const LaunchState& state_;
  DeviceFunctions& device_functions_;
  const FaultReporter& faults_;
};

}  // namespace heddle::ptx
