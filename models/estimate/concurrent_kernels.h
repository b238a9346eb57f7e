#pragma once
// Two kernels submitted together, by arithmetic alone: whether they run side by side, and how much the second
// is slowed down. Cruz et al., "Analyzing and Estimating the Performance of Concurrent Kernels Execution on
// GPUs": Algorithms 1 and 2 (Section 4), equations 1 to 3 (Sections 4 and 5). The hardware's policy there is
// left-over: the first kernel takes all it can use, the second what is left, and never slows the first down.
//
// Beyond the paper: the time until the second kernel ends, and contention for memory bandwidth, its future
// work (Section 7).

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/kernel/kernel.h"
#include "models/engine/engine_spec.h"

namespace heddle {

struct ConcurrentKernel {
  BlockShape shape;
  std::uint64_t blocks = 0;
  std::optional<std::uint64_t> time_alone_ps;  // on an empty GPU; none: not known
  double bytes_per_second = 0;                 // from and to DRAM, as measured alone; 0: none
};

struct ConcurrentGpu {
  SmLimits limits;
  std::uint32_t sms = 0;
  // Where the first kernel's blocks lie. Section 5 speaks of full SMs beside free ones, and of all SMs in
  // part used; the figures of Tables 3 and 5 come from the former.
  BlockPlacement placement = BlockPlacement::kPacked;
  std::uint64_t launch_overhead_ps = 0;  // Launch_overhead of Algorithm 1
  // DRAM traffic that kernels together can reach, at most the pins' bandwidth; 0: no term for contention.
  double bytes_per_second = 0;
};

enum class Concurrency : std::uint8_t {
  kFromTheStart,  // Case A
  kLastRound,     // Case B: as the first kernel's last round begins
  kNone,          // Case C: one after the other
};
// "A", "B", "C".
const char* name_of(Concurrency concurrency);

// SMs that hold equally many blocks of the first kernel in its last round.
struct SmGroup {
  std::uint32_t sms = 0;
  std::uint32_t first_blocks = 0;  // on each
  // Of the second kernel on each beside those (GetAllocatableBlocksPerSM of Algorithm 2), and what ends it.
  Residency second;
};

struct PairEstimate {
  Concurrency concurrency = Concurrency::kNone;
  Residency first;                  // ActiveBlocks: on an empty SM
  Residency second;                 // ...
  std::uint64_t first_rounds = 0;   // equation 1
  std::uint64_t second_rounds = 0;  // ..., alone
  std::vector<SmGroup> last_round;  // the most blocks of the first kernel first; together all SMs
  std::uint64_t second_slots = 0;   // blocks of the second kernel in the last round: divisor of equation 3
  std::uint64_t second_limited_rounds = 0;  // equation 3; Case C: as alone
  // Equation 2: of the second kernel from its first block on, without contention. The paper has it for Case
  // A.
  double slowdown = 1;

  // Beyond the paper. While both run each takes so many times as long, for what they ask of the DRAM; 1: the
  // first kernel's slowdown, too. The second kernel's with contention is slowdown x contention.
  double contention = 1;
  // From submission to the second kernel's end, contention included; the first kernel ends after its time
  // and leaves its SMs then. None where a time alone is not known.
  std::optional<double> second_turnaround_ps;
};

// A first kernel of no blocks is no kernel: the second has the GPU. Throws std::invalid_argument for a GPU
// without SMs, a block that fits no SM, a second kernel of no blocks, and a bandwidth that is no number,
// below 0 or above the GPU's where the GPU has one.
PairEstimate estimate_pair(const ConcurrentKernel& first, const ConcurrentKernel& second,
                           const ConcurrentGpu& gpu);

}  // namespace heddle
