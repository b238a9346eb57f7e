#pragma once
// LaunchTimes estimates how long launches take alone on the GPU. The time of a wave of blocks follows from
// the residence of a block where the launch states it, as launches on timed SMs do, and from the bandwidth
// where its bytes take longer than its blocks. Else it is learnt: the
// shortest time per wave of the earlier launches of the kernel, from the submission, or from the end of what
// was before it in its stream, to its fence.

#include <cstdint>
#include <vector>

#include "models/core/kernel/bandwidth.h"
#include "models/core/kernel/kernel.h"

namespace heddle {

class LaunchTimes {
 public:
  struct Gpu {
    SmLimits limits;
    std::uint32_t sms = 1;
    double core_hz = 1;
    std::uint64_t launch_cycles = 0;       // from a launch to its first block
    std::uint64_t block_issue_cycles = 0;  // from the end of a block to the start of the next one
    BandwidthSpec bandwidth{};
  };
  struct Estimate {
    std::uint32_t residency = 1;  // blocks of an SM
    std::uint64_t wave = 1;       // blocks of the GPU
    std::uint64_t launch_ps = 0;
    std::uint64_t wave_ps = 0;  // 0: not known
  };

  // `kernels` has the number of kernels of each process.
  LaunchTimes(const Gpu& gpu, const std::vector<std::size_t>& kernels);

  Estimate of(std::uint32_t process, const KernelLaunch& launch) const;
  // Returns how long that many blocks of the launch take, in picoseconds; 0 for no block.
  std::uint64_t duration_ps(std::uint32_t process, const KernelLaunch& launch, std::uint64_t blocks) const;
  // A launch or a piece took so long.
  void learn(std::uint32_t process, const KernelLaunch& launch, std::uint64_t ps);
  void reset();

 private:
  const Gpu gpu_;
  std::vector<std::vector<std::uint64_t>> wave_ps_;  // by process and tag; 0: not known
};

}  // namespace heddle
