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
};

// What SMs are told. A table is valid until the messages that carry it have been received.
struct BandwidthTable {
  // Bytes per core cycle for the saved blocks that one SM stores or loads, with kRateBits binary digits
  // behind the point.
  std::uint64_t state_bytes = 0;
  std::vector<std::uint32_t> rates;  // by KSR: how fast blocks get on, at most kFullRate
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
