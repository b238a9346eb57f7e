#pragma once
// The bandwidth that timed SMs and copies share, and what the execution engine tells each of them about it.

#include <cstdint>
#include <vector>

namespace heddle {

// The bandwidths of a GPU with timed SMs, which has no model of its memory.
struct BandwidthSpec {
  // Bytes per second of device memory, read and written together. 200 GB/s is twice the default rate of
  // copies within device memory.
  double dram_bytes_per_second = 200e9;
  double l2_bytes_per_second = 0;  // 0: L2 limits nothing
  bool kernels = false;            // whether kernels take part, too: their blocks then slow each other down
  // What the blocks of one SM draw of each at most; 0: an SM limits nothing.
  double sm_dram_bytes_per_second = 0;
  double sm_l2_bytes_per_second = 0;
  // A kernel whose bytes over its measured time reach this share of a bandwidth is bound by that bandwidth.
  double bound = 0.9;
  // SMs whose products of matrices the power limit allows at the full core clock; 0: all of them. With N SMs
  // at work on products the clock of these SMs is (boost_sms / N)^(1/3) of the full one: dynamic power goes
  // with frequency and the square of the voltage, and the voltage with the frequency.
  double boost_sms = 0;
};

// KernelLaunch::port_load of a block that at full speed draws all that its SM can.
constexpr std::uint32_t kFullPort = 0xffff;
// KernelLaunch::product_load of a block that at full speed keeps its SM's units for products busy.
constexpr std::uint32_t kFullProducts = 0x7fff;

// The blocks of one kernel on an SM, and the rate at which the SM's port lets them get on.
struct PortUser {
  std::uint64_t load = 0;  // the sum of KernelLaunch::port_load of its blocks; 0: the port does not limit it
  std::uint32_t rate = 0;  // the result, at most kFullRate
};

// Sets the rates of the kernels of one SM. The port is divided max-min fairly: a kernel gets what it asks
// for, or as much as every other kernel that gets less than it asks for. Loads of up to kFullPort together
// slow nothing down.
void divide_port(std::vector<PortUser>& users);

// What a block of a timed kernel occupies: see KernelLaunch.
struct BlockTraffic {
  std::uint64_t block_cycles = 0;
  std::uint32_t dram_sectors = 0;
  std::uint32_t l2_sectors = 0;
  std::uint16_t port_load = 0;
  std::uint16_t product_load = 0;
};

// Returns the core cycles of `blocks` blocks that start together, evenly on `sms` SMs, with nothing beside
// them. `core_hz` is the frequency of the core clock.
double wave_cycles(const BlockTraffic& block, std::uint64_t blocks, std::uint32_t sms,
                   const BandwidthSpec& bandwidth, double core_hz);

// What SMs are told. A table is valid until the messages that carry it have been received.
struct BandwidthTable {
  // Bytes per core cycle for the saved blocks that one SM stores or loads, with kRateBits binary digits
  // behind the point.
  std::uint64_t state_bytes = 0;
  // By KSR: how fast blocks get on, at most kFullRate, of what the port of their SM lets through.
  std::vector<std::uint32_t> rates;
};

// A DMA engine tells the execution engine what it would take of the bandwidth of device memory, and is told
// how fast its copies get on. It starts no burst before it has been told.
struct CopyDemand {
  std::uint64_t number = 0;            // counted by the DMA engine; the answers repeat it
  std::uint64_t bytes_per_second = 0;  // 0: no transfer is left, and nothing is answered
};
struct CopyShare {
  std::uint64_t number = 0;
  std::uint32_t rate = 0;  // at most kFullRate
};

}  // namespace heddle
