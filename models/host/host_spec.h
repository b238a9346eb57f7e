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
  // Whether the instances of a split GPU share the lanes. If not, each instance has as many lanes of its own.
  bool is_shared = false;

  std::uint32_t bytes_per_cycle() const { return lanes / 2 * bytes_per_lane; }  // each way
};

struct DmaSpec {
  std::uint32_t engines = 2;     // 2: one per direction; 1: both directions share it
  std::uint32_t transfers = 32;  // transfers that one engine holds at once
  // The rate of copies within device memory. A copy reads and writes each byte, so the rate is half the
  // memory's bandwidth. A fill only writes and is twice as fast. 100 GB/s is the rate of a K20 (208 GB/s).
  double device_bytes_per_second = 100e9;
};

// A process waits for the GPU on a core that it keeps busy, or it leaves the core meanwhile.
enum class HostWait : std::uint8_t { kSpin, kBlock };

// The defaults are a host whose calls of the runtime take no CPU time, with a core for each process.
struct HostSpec {
  double touch_bytes_per_second = 0;    // the rate at which a CPU phase reads or writes its data
  std::uint64_t memory_latency_ps = 0;  // system memory
  std::uint64_t mmio_latency_ps = 0;    // one register access
  // The CPU time of calls of the runtime. The latency of a copy is also that of a fill.
  std::uint64_t call_latency_ps = 0;  // of a call that has no latency of its own
  std::uint64_t launch_latency_ps = 0;
  std::uint64_t copy_latency_ps = 0;
  std::uint64_t allocation_latency_ps = 0;    // of an allocation and of a free, in addition to the next
  double allocation_bytes_per_second = 0;     // the rate at which memory is mapped; 0: in no time
  std::uint64_t pooled_allocation_bytes = 0;  // up to so many take call_latency_ps instead of the two
  std::uint64_t return_latency_ps = 0;        // from the end of what a call waits for to its return
  std::uint64_t context_creation_ps = 0;      // in the first call of an execution
  std::uint32_t cores = 0;                    // 0: one for each process
  std::uint64_t time_slice_ps = 0;            // 0: none, a process keeps its core until it leaves it
  HostWait wait = HostWait::kSpin;
  // CPU time of each decision of a submission policy. The submitter has a core of its own, beside `cores`.
  std::uint64_t submission_latency_ps = 0;
};

}  // namespace heddle
