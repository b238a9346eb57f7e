#pragma once

#include <cstdint>
#include <vector>

#include "models/gpu/gpu_spec.h"
#include "models/host/host_process_spec.h"

namespace heddle {

// One GPU and the processes that share it.
struct MachineSpec {
  GpuSpec gpu;
  std::vector<HostProcessSpec> processes;  // their numbers are their places
  std::uint64_t window_cycles = 0;  // every process is halted after so many with a kernel resident; 0: none
  std::uint64_t starvation_limit_ps = 0;  // see Machine::check_progress(); above zero
};

}  // namespace heddle
