#pragma once
// Scales the sampled IPC of a kernel to the memory bandwidth that it would have if all SMs held the same
// number of its blocks (Warped-Slicer, Section IV-A, Equations 2 to 4). IPC is proportional to bandwidth /
// misses (Equation 2) for the share of issue slots that wait for memory. Equation 2 is for memory-intensive
// kernels; the paper's line between these and others is 30 L2 misses per thousand instructions (Section
// II-C).

#include <cstdint>

namespace heddle {

struct MemoryTraffic {
  double bandwidth = 0;        // any unit
  double misses_per_kilo = 0;  // L2 misses per thousand instructions, the paper's MPKI
};

// Returns the psi of Equation 3: the relative change of bandwidth per miss from the sampled to the scaled
// traffic. The bandwidth of `sampled` and the misses of `scaled` must not be 0.
double bandwidth_change(const MemoryTraffic& sampled, const MemoryTraffic& scaled);

// The reading of Equation 4. The equation computes psi from the number of blocks on the SM and on an average
// SM, for kernels whose misses per instruction do not depend on the number of blocks.
enum class BandwidthReading : std::uint8_t {
  kNone,     // psi is 0: IPC is not scaled
  kPrinted,  // blocks / average - 1, the inverse of what Equation 3 gives
  // average / blocks - 1. This is Equation 3 if bandwidth is proportional to the blocks of an SM while it is
  // sampled, and the same on all SMs later. The paper's Table III agrees: LBM has one block.
  kInverse,
};

struct IpcScaling {
  BandwidthReading reading = BandwidthReading::kInverse;
  double misses_per_kilo = 30;  // a kernel with fewer L2 misses per thousand instructions is not scaled
};

// Both numbers of blocks must be above 0.
double bandwidth_change(BandwidthReading reading, double blocks, double average_blocks);

// Equation 3. `memory_stalls` is the share of all sampled issue slots that are lost to long memory latency,
// 0 to 1.
double scaled_ipc(double sampled_ipc, double memory_stalls, double bandwidth_change);

}  // namespace heddle
