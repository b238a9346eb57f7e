#include "platforms/load/read_bandwidth.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr double kLeastRate = 1e6;  // bytes per second

// Returns what the slices read from their data arrays or the crossbar takes from them, whichever is less.
double l2_bandwidth(const MemoryPathSpec& memory) {
  const double slice = std::min(L2Spec::kSectorBytes * memory.l2_hz, memory.noc.flit_bytes * memory.icnt_hz);
  return memory.slices() * slice;
}

}  // namespace

BandwidthSpec read_bandwidth(const config::Section& section, const GpuSpec& spec, bool cycle) {
  BandwidthSpec bandwidth;
  bandwidth.kernels = section.boolean(
      {"kernels",
       "whether the blocks of kernels on timed SMs slow each other down by the bytes that they move"},
      false);
  if (bandwidth.kernels && cycle)
    section.value("kernels").problem("cycle SMs contend for a memory that is simulated");
  const double dram = section.bytes_per_second(
      {"dram", "bandwidth of device memory that saved blocks, copies and kernels share on timed SMs"},
      {kLeastRate}, "the DRAM's peak, or twice dma.device_rate");
  const double l2 =
      section.bytes_per_second({"l2", "bandwidth between the SMs and L2 that kernels share on timed SMs"},
                               {kLeastRate}, "a sector or a flit of each L2 slice a cycle, or no limit");
  const double peak = spec.memory ? spec.memory->peak_bytes_per_second() : 0;
  bandwidth.dram_bytes_per_second = section.has("dram") ? dram
                                    : peak > 0          ? peak
                                                        : 2 * spec.dma.device_bytes_per_second;
  bandwidth.l2_bytes_per_second = section.has("l2") ? l2 : spec.memory ? l2_bandwidth(*spec.memory) : 0;
  return bandwidth;
}

}  // namespace heddle
