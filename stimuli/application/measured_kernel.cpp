#include "stimuli/application/measured_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace heddle {

namespace {

constexpr double kSectorSize = 32;
constexpr double kLargestSectors = std::numeric_limits<std::uint32_t>::max();
constexpr double kRounding = 1 + 1e-6;  // of bandwidths that are stated in round numbers

// The waves of a kernel on the SMs on which it was measured, and the core cycles that they took.
struct Waves {
  double blocks = 0;  // of the kernel
  double full = 0;    // blocks of a full wave; 0: no block fits an SM
  double full_waves = 0;
  double rest = 0;       // blocks of the last wave if that is not full; else 0
  double on_one_sm = 0;  // blocks of a wave, or of the kernel if it has fewer
  double cycles = 0;     // without launch, set-up and issue latencies

  double count() const { return full_waves + (rest > 0 ? 1 : 0); }
};

Waves waves_of(const MeasuredKernel& kernel, const GpuSpec& gpu) {
  Waves waves;
  const std::uint64_t sms = kernel.sms == 0 ? gpu.sm.count : kernel.sms;
  const std::uint64_t resident = residency_of(kernel.shape, gpu.sm.limits).blocks;
  const std::uint64_t full = sms * resident;
  if (full == 0) return waves;
  waves.blocks = static_cast<double>(kernel.blocks);
  waves.full = static_cast<double>(full);
  waves.full_waves = static_cast<double>(kernel.blocks / full);
  waves.rest = static_cast<double>(kernel.blocks % full);
  waves.on_one_sm = static_cast<double>(std::min(resident, (kernel.blocks + sms - 1) / sms));
  const double cycles = static_cast<double>(kernel.time_ps) * 1e-12 * gpu.core_hz;
  const auto launch = static_cast<double>(gpu.engine.kernel_launch_latency + gpu.engine.set_up_cycles());
  waves.cycles = cycles - launch - waves.count() * static_cast<double>(gpu.engine.block_issue_latency);
  return waves;
}

std::uint64_t whole_cycles(double residence) {
  return residence < 1.0 ? 0 : static_cast<std::uint64_t>(std::llround(residence));
}

std::uint64_t equal_residence(const Waves& waves) {
  return waves.count() == 0 ? 0 : whole_cycles(waves.cycles / waves.count());
}

// One of the two bandwidths that a kernel takes, in bytes and bytes per core cycle of a GPU.
struct Level {
  TimeBound bound;
  const char* name;
  double block = 0;      // bytes that a block moves
  double bandwidth = 0;  // 0: it limits nothing
  double peak = 0;       // what it can have moved at most
  double of_sm = 0;      // what one SM can draw; 0: it limits nothing

  // The share of the bandwidth that the blocks took in so many cycles.
  double use(double blocks, double cycles) const {
    return bandwidth == 0 ? 0 : blocks * block / (cycles * bandwidth);
  }
  // Returns the cycles that so many blocks take at least.
  double least(double blocks) const { return bandwidth == 0 ? 0 : blocks * block / bandwidth; }
};
using Levels = std::array<Level, 2>;

Levels levels_of(const BlockBytes& bytes, const GpuSpec& gpu) {
  const BandwidthSpec& spec = gpu.bandwidth;
  const double hz = gpu.core_hz;
  const double peak =
      std::max(spec.dram_bytes_per_second, gpu.memory ? gpu.memory->peak_bytes_per_second() : 0);
  return {{{TimeBound::kDram, "DRAM", bytes.dram * kSectorSize, spec.dram_bytes_per_second / hz, peak / hz,
            spec.sm_dram_bytes_per_second / hz},
           {TimeBound::kL2, "L2", bytes.l2 * kSectorSize, spec.l2_bytes_per_second / hz,
            spec.l2_bytes_per_second / hz, spec.sm_l2_bytes_per_second / hz}}};
}

// Returns why the kernel cannot have moved its bytes in its time; empty if it can.
std::string problem_of(const MeasuredKernel& kernel, const Levels& levels, const GpuSpec& gpu) {
  const double cycles = static_cast<double>(kernel.time_ps) * 1e-12 * gpu.core_hz;
  for (const Level& level : levels) {
    if (cycles == 0) break;  // a time that is missing has a problem of its own
    const double moved = static_cast<double>(kernel.blocks) * level.block / cycles;
    if (level.peak == 0 || moved <= level.peak * kRounding) continue;
    const double to_gigabytes = gpu.core_hz / 1e9;
    return fmt::format("its blocks move {:.1f} GB/s to and from {} in its time, and '{}' has {:.1f} GB/s",
                       moved * to_gigabytes, level.name, gpu.name, level.peak * to_gigabytes);
  }
  return "";
}

std::uint32_t sectors_of(double bytes) {
  return static_cast<std::uint32_t>(std::clamp(std::round(bytes / kSectorSize), 1.0, kLargestSectors));
}

// Returns the residence of a block whose own time decided that of the kernel. A full wave can wait for the
// bandwidth all the same, if the last wave is nearly empty: what it took is then left out.
double residence_of(const Waves& waves, const Levels& levels) {
  const double equal = waves.cycles / waves.count();
  const double full = std::max(levels[0].least(waves.full), levels[1].least(waves.full));
  return equal >= full || waves.rest == 0 ? equal : waves.cycles - waves.full_waves * full;
}

// Returns the bytes of a block with which the waves fill the bandwidth for their time. In the last wave the
// blocks may be too few to draw all of it.
double filling_bytes(const Waves& waves, double residence, double bandwidth) {
  const double even = waves.cycles * bandwidth / waves.blocks;
  if (waves.rest == 0 || waves.full_waves == 0 || waves.rest * even / bandwidth >= residence) return even;
  return (waves.cycles - residence) * bandwidth / (waves.full_waves * waves.full);
}

// What one block draws of what its SM can draw of both levels. All blocks of an SM together never come to
// more than they drew when they were measured.
std::uint16_t port_load(const Waves& waves, const Levels& levels, double residence) {
  double load = 0;
  for (const Level& level : levels)
    if (level.of_sm > 0) load = std::max(load, level.block / (residence * level.of_sm));
  load = std::min(load, 1 / waves.on_one_sm);
  return load == 0 ? 0 : static_cast<std::uint16_t>(std::max(1.0, std::floor(load * kFullPort)));
}

}  // namespace

std::uint64_t residence_cycles(const ApiKernel& kernel, std::uint64_t kernel_time_ps,
                               const GpuSpec& measured) {
  return equal_residence(waves_of({kernel.shape, kernel.blocks, kernel_time_ps, 0, {}}, measured));
}

MeasuredBlocks blocks_of(const MeasuredKernel& kernel, const GpuSpec& measured, const GpuSpec& runs_on) {
  MeasuredBlocks result;
  const Waves waves = waves_of(kernel, measured);
  result.block = {equal_residence(waves), kernel.bytes.dram, kernel.bytes.l2, 0};
  const Levels levels = levels_of(kernel.bytes, measured);
  result.problem = problem_of(kernel, levels, measured);
  if (result.block.block_cycles == 0 || (kernel.bytes.dram | kernel.bytes.l2) == 0 || !result.problem.empty())
    return result;
  const auto by_use = [&](const Level& a, const Level& b) {
    return a.use(waves.blocks, waves.cycles) < b.use(waves.blocks, waves.cycles);
  };
  const std::size_t most = by_use(levels[0], levels[1]) ? 1 : 0;
  const Level& level = levels[most];
  const bool bound = level.use(waves.blocks, waves.cycles) >= measured.bandwidth.bound;
  if (bound) result.bound = level.bound;
  if (!runs_on.bandwidth.kernels) return result;
  const Levels there = levels_of(kernel.bytes, runs_on);
  double residence = residence_of(waves, levels);
  if (bound) {
    residence = waves.cycles / waves.count();
    if (level.of_sm > 0) residence = std::min(residence, waves.on_one_sm * level.block / level.of_sm);
    std::uint32_t& own = most == 0 ? result.block.dram_sectors : result.block.l2_sectors;
    std::uint32_t& other = most == 0 ? result.block.l2_sectors : result.block.dram_sectors;
    own = sectors_of(filling_bytes(waves, residence, level.bandwidth));
    const Level& second = levels[1 - most];
    if (const double use = second.use(waves.blocks, waves.cycles); use > 1)
      other = sectors_of(second.block / use);
    if (there[most].of_sm > 0 && level.of_sm > 0) residence *= level.of_sm / there[most].of_sm;
  }
  result.block.block_cycles = std::max<std::uint64_t>(1, whole_cycles(residence));
  result.block.port_load = port_load(waves, there, residence);
  return result;
}

double cycles_alone(const ApiKernel& kernel, const GpuSpec& gpu) {
  const BlockTraffic block{kernel.block_cycles, kernel.dram_sectors, kernel.l2_sectors, kernel.port_load};
  const std::uint64_t full = std::uint64_t{gpu.sm.count} * residency_of(kernel.shape, gpu.sm.limits).blocks;
  const auto issue = static_cast<double>(gpu.engine.block_issue_latency);
  const auto wave = [&](std::uint64_t blocks) {
    return issue + wave_cycles(block, blocks, gpu.sm.count, gpu.bandwidth, gpu.core_hz);
  };
  double cycles = static_cast<double>(gpu.engine.kernel_launch_latency + gpu.engine.set_up_cycles());
  if (kernel.blocks >= full) cycles += static_cast<double>(kernel.blocks / full) * wave(full);
  if (kernel.blocks % full != 0) cycles += wave(kernel.blocks % full);
  return cycles;
}

}  // namespace heddle
