#pragma once
// A PhaseSampler turns the samples of the SMs in one sampling phase of a profile into measurements for the
// kernels' curves.
//
//   - A measurement belongs to the number of blocks that the SM held, not to the number that it should hold.
//     That number is the mean over the starts and ends of its windows, rounded to the nearest whole number. A
//     window is left out if the launch was not on the SM from its start to its end.
//   - Performance is IPC. The IPC of a memory-intensive kernel is scaled for shared bandwidth by Equations 3
//     and 4 (ipc_scaling.h). Its L2 misses per thousand instructions are those of all its SMs in the phase.
//     CTA_avg is the mean over these SMs. An issue slot is lost to long memory latency if a scheduler issued
//     nothing and one of its warps waited for the result of a load, whatever the others waited for.
//   - If no kernel has issued an instruction, as on timed SMs, performance is blocks ended per cycle.

#include <cstdint>
#include <vector>

#include "models/core/kernel/sm_sample.h"
#include "policies/sm_partitioner/ipc_scaling.h"
#include "policies/sm_partitioner/profile_curves.h"

namespace heddle {

class PhaseSampler {
 public:
  void begin(std::size_t sms);  // starts a phase at the end of the latest windows

  // Adds the window that has ended on an SM, for the kernel that the SM belongs to. It is called for the
  // windows before a phase as well.
  void add_window(std::size_t sm, const KernelKey& key, KernelId kernel, const SmSample& sample);

  // Adds the measurements of the phase to the curves.
  void finish(ProfileCurves& curves, const IpcScaling& scaling) const;

 private:
  struct Sum {
    KernelKey key;
    KernelId kernel;             // the launch on the SM at the end of the latest window
    std::uint32_t resident = 0;  // its blocks at that time
    std::uint64_t ends = 0;      // starts and ends of the windows that are summed
    std::uint64_t blocks = 0;    // resident blocks, summed over these starts and ends
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    std::uint64_t blocks_ended = 0;
    std::uint64_t l2_misses = 0;
    std::uint64_t issue_slots = 0;
    std::uint64_t memory_slots = 0;

    std::uint32_t count() const { return static_cast<std::uint32_t>((2 * blocks + ends) / (2 * ends)); }
  };
  bool is_memory_intensive(const KernelKey& key, double misses_per_kilo) const;
  double scaled(const Sum& sum, double sampled, const IpcScaling& scaling) const;
  double average_blocks(const KernelKey& key) const;
  static void clear(Sum& sum);

  std::vector<Sum> sums_;  // by SM
};

}  // namespace heddle
