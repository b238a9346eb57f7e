#pragma once
// This file has the specs of all blocks between the host and the engines.

#include <cstdint>

namespace heddle {

struct QueueSpec {
  std::uint32_t count = 32;      // hardware queues: 1 (Fermi) to 32 (Hyper-Q)
  std::uint32_t entries = 1024;  // most entries of one ring
  std::uint32_t streams = 64;    // per context
  std::uint32_t events = 256;    // per context
};

struct PcieSpec {
  std::uint32_t lanes = 32;          // half of them each way
  std::uint32_t bytes_per_lane = 1;  // per PCIe clock
  std::uint32_t burst_bytes = 4096;
  std::uint64_t latency =
      0;  // PCIe cycles from a packet's grant to its answer, in addition to the transfer time

  std::uint32_t bytes_per_cycle() const { return lanes / 2 * bytes_per_lane; }  // each way
};

struct DmaSpec {
  std::uint32_t engines = 2;     // 2: one per direction; 1: both directions share it
  std::uint32_t transfers = 32;  // transfers that one engine holds at once
  // The rate of copies within device memory. A copy reads and writes each byte, so the rate is half the
  // memory's bandwidth. A fill only writes and is twice as fast. 100 GB/s is the rate of a K20 (208 GB/s).
  double device_bytes_per_second = 100e9;
};

struct HostSpec {
  double touch_bytes_per_second = 0;    // the rate at which a CPU phase reads or writes its data
  std::uint64_t memory_latency_ps = 0;  // system memory
  std::uint64_t mmio_latency_ps = 0;    // one register access
};

}  // namespace heddle
