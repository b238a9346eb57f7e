#pragma once
// What the SMs of a profile do in one sampling phase, as measurements for the kernels' curves.
//
//   - An SM is counted by the blocks of the kernel that it holds, whatever it was meant to hold: the
//     mean over both ends of its windows, to the nearest whole number. A window in which the launch was not
//     on the SM from end to end is left out.
//   - Performance is IPC, scaled for shared bandwidth by Equations 3 and 4 (ipc_scaling.h), with CTA_avg over
//     the kernel's SMs of the phase. The share of cycles lost to long memory latency is the bucket
//     scoreboard_memory: waits for what a load brings. pipeline_memory is not in it: that is the paper's
//     execution resource stall, which bank conflicts cause as well.
//   - Where no kernel has issued an instruction, as on timed SMs, performance is blocks ended per cycle.

#include <cstdint>
#include <vector>

#include "models/core/kernel/sm_sample.h"
#include "policies/sm_partitioner/ipc_scaling.h"
#include "policies/sm_partitioner/profile_curves.h"

namespace heddle {

class PhaseSampler {
 public:
  void begin(std::size_t sms);  // a phase starts where the windows seen last end

  // At the end of every window, in a phase or before it: what the SM did for the kernel that it belongs to.
  void window(std::size_t sm, const KernelKey& key, KernelId kernel, const SmSample& sample);

  void finish(ProfileCurves& curves, BandwidthReading reading) const;  // adds the phase's measurements

 private:
  struct Sum {
    KernelKey key;
    KernelId kernel;             // there at the end of the last window, with
    std::uint32_t resident = 0;  // so many blocks
    std::uint64_t ends = 0;      // of windows that count
    std::uint64_t blocks = 0;    // on the SM, over these ends
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    std::uint64_t blocks_ended = 0;
    std::uint64_t memory_cycles = 0;

    std::uint32_t count() const { return static_cast<std::uint32_t>((2 * blocks + ends) / (2 * ends)); }
  };
  double average_blocks(const KernelKey& key) const;
  static void clear(Sum& sum);

  std::vector<Sum> sums_;  // by SM
};

}  // namespace heddle
