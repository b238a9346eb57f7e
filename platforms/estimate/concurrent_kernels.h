#pragma once
// These functions estimate the run of two kernels that are submitted together, without a simulation: whether
// the kernels run concurrently, and how much the second is slowed down. The model is that of Cruz et al.,
// "Analyzing and Estimating the Performance of Concurrent Kernels Execution on GPUs": Algorithms 1 and 2
// (Section 4), equations 1 to 3 (Sections 4 and 5). It assumes the left-over policy: the first kernel takes
// all the resources that it can use, the second kernel takes what is left, and the second never slows the
// first down.
//
// Two terms are not in the paper: the time until the second kernel ends, and contention for memory bandwidth,
// which the paper names as future work (Section 7).

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/kernel/kernel.h"
#include "models/engine/engine_spec.h"

namespace heddle {

struct ConcurrentKernel {
  BlockShape shape;
  std::uint64_t blocks = 0;
  std::optional<std::uint64_t> time_alone_ps;  // on an empty GPU; empty: not known
  double bytes_per_second = 0;                 // DRAM traffic measured alone; 0: none
};

struct ConcurrentGpu {
  SmLimits limits;
  std::uint32_t sms = 0;
  // `placement` says where the blocks of the first kernel lie. Section 5 describes both full SMs beside free
  // ones (packed), and all SMs in partial use. The figures of Tables 3 and 5 come from packed placement.
  BlockPlacement placement = BlockPlacement::kPacked;
  std::uint64_t launch_overhead_ps = 0;  // Launch_overhead of Algorithm 1
  // `bytes_per_second` is the DRAM traffic that both kernels together can reach, at most the peak bandwidth.
  // If it is 0, the estimate has no contention.
  double bytes_per_second = 0;
};

enum class Concurrency : std::uint8_t {
  kFromTheStart,  // Case A: both run from the start
  kLastRound,     // Case B: the second starts with the first kernel's last round
  kNone,          // Case C: the second starts after the first has ended
};
// Returns "A", "B" or "C".
const char* name_of(Concurrency concurrency);

// An SmGroup stands for the SMs that hold equally many blocks of the first kernel in its last round.
struct SmGroup {
  std::uint32_t sms = 0;
  std::uint32_t first_blocks = 0;  // on each SM
  // `second` has the number of blocks of the second kernel that fit on each SM beside those
  // (GetAllocatableBlocksPerSM of Algorithm 2), and the resource that limits it.
  Residency second;
};

struct PairEstimate {
  Concurrency concurrency = Concurrency::kNone;
  Residency first;                  // ActiveBlocks of the first kernel, on an empty SM
  Residency second;                 // ActiveBlocks of the second kernel
  std::uint64_t first_rounds = 0;   // equation 1
  std::uint64_t second_rounds = 0;  // equation 1, for the second kernel alone
  std::vector<SmGroup> last_round;  // most blocks of the first kernel first; together all SMs
  std::uint64_t second_slots = 0;   // blocks of the second kernel in the last round; divisor of equation 3
  std::uint64_t second_limited_rounds = 0;  // equation 3; Case C: as alone
  // `slowdown` is equation 2: the slowdown of the second kernel from its first block on, without contention.
  // The paper states it for Case A.
  double slowdown = 1;

  // `contention` is the factor by which contention for DRAM slows both kernels down while both run, and 1
  // without contention. It is the whole slowdown of the first kernel. The slowdown of the second kernel is
  // slowdown x contention. The paper has no such term.
  double contention = 1;
  // This is the time from submission to the end of the second kernel, contention included. The first kernel
  // is assumed to end after its time alone and to leave its SMs then. The value is empty if a time alone is
  // not known.
  std::optional<double> second_turnaround_ps;
};

// Estimates the pair. If the first kernel has no blocks, the second has the GPU to itself. Throws
// std::invalid_argument for a GPU without SMs, a block that fits no SM, a second kernel without blocks, and a
// bandwidth that is not finite, below 0, or above a GPU bandwidth other than 0.
PairEstimate estimate_pair(const ConcurrentKernel& first, const ConcurrentKernel& second,
                           const ConcurrentGpu& gpu);

}  // namespace heddle
