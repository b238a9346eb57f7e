#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/gpu/gpu_spec.h"
#include "models/host/process/host_process_spec.h"

namespace heddle {

// A MachineSpec describes one GPU and the processes that share it.
struct MachineSpec {
  std::string instance;  // name of the instance of a split GPU that this machine is; empty: it is not split
  bool servers_elsewhere = false;  // servers in other instances end the run, too; see Machine
  GpuSpec gpu;
  std::vector<HostProcessSpec> processes;  // a process's number is its index
  std::uint64_t window_cycles =
      0;  // core cycles with a kernel resident after which every process is halted; 0: none is
  std::uint64_t starvation_limit_ps = 0;  // see Machine::check_progress(); above zero
};

}  // namespace heddle
