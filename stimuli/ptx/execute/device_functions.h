#pragma once
// The functions that the device provides without a body in the module: vprintf, __assertfail, malloc, free.

#include <cstdint>

#include "stimuli/ptx/execute/block_memory.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class DeviceFunctions {
 public:
  DeviceFunctions(LaunchState& state, const BlockMemory& memory, const FaultReporter& faults)
      : state_(state), memory_(memory), faults_(faults) {}

  // Executes the call for each active lane in turn and writes its result. Throws Fault where an assertion
  // fails, where memory is freed that malloc did not return, and where the device does not provide the
  // callee.
  void call(const WarpStep& at, const CallSite& site, const Function& callee);

 private:
  void print(const WarpStep& at, const CallSite& site);
  [[noreturn]] void fail_assertion(const WarpStep& at, const CallSite& site);
  void allocate(const WarpStep& at, const CallSite& site);
  void free(const WarpStep& at, const CallSite& site);

  LaunchState& state_;
  const BlockMemory& memory_;
  const FaultReporter& faults_;
};

}  // namespace heddle::ptx
