#include "models/host/submission/launch_times.h"

#include <algorithm>

#include "policies/submission/i_submission.h"

namespace heddle {

namespace {

std::uint64_t picoseconds(double cycles, double hz) {
  return static_cast<std::uint64_t>(cycles / hz * 1e12);
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
  estimate.launch_ps = picoseconds(static_cast<double>(gpu_.launch_cycles), gpu_.core_hz);
  const double wave =
      wave_cycles({launch.block_cycles, launch.dram_sectors, launch.l2_sectors, launch.port_load},
                  std::min(estimate.wave, launch.blocks), gpu_.sms, gpu_.bandwidth, gpu_.core_hz);
  estimate.wave_ps = picoseconds(wave + static_cast<double>(gpu_.block_issue_cycles), gpu_.core_hz);
  return estimate;
}

std::uint64_t LaunchTimes::duration_ps(std::uint32_t process, const KernelLaunch& launch,
                                       std::uint64_t blocks) const {
  const LaunchTimes::Estimate estimate = of(process, launch);
  HeadView head;
  head.wave = estimate.wave;
  head.launch_ps = estimate.launch_ps;
  head.wave_ps = estimate.wave_ps;
  return blocks == 0 ? 0 : head.duration_ps(blocks);
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
