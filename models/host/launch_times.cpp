#include "models/host/launch_times.h"

#include <algorithm>

namespace heddle {

namespace {

std::uint64_t picoseconds(std::uint64_t cycles, double hz) {
  return static_cast<std::uint64_t>(static_cast<double>(cycles) / hz * 1e12);
}

}  // namespace

LaunchTimes::LaunchTimes(const Gpu& gpu, const std::vector<std::size_t>& kernels) : gpu_(gpu) {
  for (const std::size_t count : kernels) wave_ps_.emplace_back(count);
}

LaunchTimes::Estimate LaunchTimes::of(std::uint32_t process, const KernelLaunch& launch) const {
  Estimate estimate;
  estimate.residency = std::max(1U, residency_of(launch.shape, gpu_.limits).blocks);
  estimate.wave = std::uint64_t{estimate.residency} * gpu_.sms;
  if (launch.block_cycles == 0) {
    estimate.wave_ps = wave_ps_[process][launch.tag];
    return estimate;
  }
  estimate.launch_ps = picoseconds(gpu_.launch_cycles, gpu_.core_hz);
  estimate.wave_ps = picoseconds(launch.block_cycles + gpu_.block_issue_cycles, gpu_.core_hz);
  return estimate;
}

void LaunchTimes::learn(std::uint32_t process, const KernelLaunch& launch, std::uint64_t ps) {
  if (launch.block_cycles != 0) return;
  const std::uint64_t wave = of(process, launch).wave;
  const std::uint64_t waves = launch.blocks / wave + (launch.blocks % wave != 0 ? 1 : 0);
  const std::uint64_t each = std::max<std::uint64_t>(1, ps / waves);
  std::uint64_t& known = wave_ps_[process][launch.tag];
  known = known == 0 ? each : std::min(known, each);
}

void LaunchTimes::reset() {
  for (std::vector<std::uint64_t>& process : wave_ps_) std::fill(process.begin(), process.end(), 0);
}

}  // namespace heddle
