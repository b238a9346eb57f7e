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

// Returns what the crossbar delivers to one SM: a flit a cycle, with a sector at most.
double sm_bandwidth(const MemoryPathSpec& memory) {
  return std::min(L2Spec::kSectorBytes, memory.noc.flit_bytes) * memory.icnt_hz;
}

void read_sm_bandwidth(const config::Section& section, const GpuSpec& spec, BandwidthSpec& bandwidth) {
  const double dram = section.bytes_per_second(
      {"sm_dram", "bandwidth of device memory that the blocks of one timed SM draw at most"}, {kLeastRate},
      "contention.dram over the SMs");
  const double l2 = section.bytes_per_second(
      {"sm_l2", "bandwidth of L2 that the blocks of one timed SM draw at most"}, {kLeastRate},
      "a sector or a flit a cycle, at least contention.l2 over the SMs");
  const double sms = std::max<std::uint32_t>(1, spec.sm.count);
  const double port = spec.memory ? sm_bandwidth(*spec.memory) : 0;
  bandwidth.sm_dram_bytes_per_second = section.has("sm_dram") ? dram : bandwidth.dram_bytes_per_second / sms;
  bandwidth.sm_l2_bytes_per_second = section.has("sm_l2") ? l2
                                     : bandwidth.l2_bytes_per_second == 0
                                         ? 0
                                         : std::max(port, bandwidth.l2_bytes_per_second / sms);
  bandwidth.bound = section.real(
      {"bound", "a kernel whose bytes over its measured time reach this share of a bandwidth is bound by it",
       "share"},
      {0.1, 1}, bandwidth.bound);
  bandwidth.boost_sms = section.real(
      {"boost_sms",
       "SMs whose products of matrices the power limit allows at the full clock; with N at work the clock of "
       "products is the cube root of boost_sms over N; 0: all SMs",
       "SMs"},
      {0, 1024}, 0);
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
  read_sm_bandwidth(section, spec, bandwidth);
  return bandwidth;
}

}  // namespace heddle
