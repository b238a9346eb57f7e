#pragma once
// LaunchTotals has what the launches of each kernel of cycle SMs have caused, as statistics of the kernel.

#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/kernel.h"
#include "models/machine/launch_stats.h"

namespace heddle {

class LaunchTotals {
 public:
  // Adds an application, in the order of the contexts. `groups` are those of its kernels.
  void add_application(const ExecutionSpec& spec, const std::vector<Group*>& groups);
  // Nothing of the launch is left in the machine.
  void close(const KernelLaunch& launch, const LaunchCounts& counts) { of(launch).closed += counts; }

  // Brings the statistics up to the present: start(), add() for each launch that is not closed, publish().
  void start();
  void add(const KernelLaunch& launch, const LaunchCounts& counts) { of(launch).present += counts; }
  void publish();

  bool empty() const { return kernels_.empty(); }
  void reset();

 private:
  struct Kernel {
    LaunchCounts closed;   // of closed launches
    LaunchCounts present;  // of all launches, as of the last publish()
    std::unique_ptr<LaunchStats> stats;
  };
  Kernel& of(const KernelLaunch& launch) { return kernels_[launch.context.value][launch.tag]; }

  std::vector<std::vector<Kernel>> kernels_;  // by context and tag
};

}  // namespace heddle
