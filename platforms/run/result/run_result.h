#pragma once
// The result of one simulation as plain values. The README's "Results" explains each value. Times are in
// picoseconds; cycles are of the core clock.
//
// A new value is a member here, a line among the fields of result_fields.h, and a line where describe() of
// platforms/run/simulate.cpp fills it.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/core/kernel/bucket.h"
#include "models/sm/spec/execution_spec.h"
#include "platforms/run/result/handover_result.h"
#include "platforms/run/result/request_result.h"
#include "policies/sm_partitioner/partition_decision.h"

namespace heddle {

// A Ratio is the value of a Formula of the statistics with its operands.
struct Ratio {
  std::optional<double> value;    // scaled by the formula; none if the denominator is zero
  std::uint64_t numerator = 0;    // a sum of counters, without the scale
  std::uint64_t denominator = 0;  // a sum of counters

  friend bool operator==(const Ratio& a, const Ratio& b) {
    return a.value == b.value && a.numerator == b.numerator && a.denominator == b.denominator;
  }
};

// What a block throttle did with a kernel, summed over its slices. A slice is one launch on one SM, from its
// first block there until it leaves.
struct ThrottleResult {
  std::uint64_t slices = 0;
  std::uint64_t settled = 0;           // slices for which the throttle chose a cap
  std::uint64_t most_blocks = 0;       // blocks that they could have without a cap
  std::uint64_t caps = 0;              // blocks that they could have in the end
  std::uint64_t samples = 0;           // that the throttle took
  std::uint64_t cycles = 0;            // core cycles of the slices
  std::uint64_t cycles_to_settle = 0;  // of these, before the cap was chosen

  ThrottleResult& operator+=(const ThrottleResult& other);
};

struct KernelResult {
  std::string kernel;
  std::uint64_t ended = 0;  // launches
  std::uint64_t cycles = 0;
  std::uint64_t wait_cycles = 0;
  std::uint64_t blocks_done = 0;
  std::uint64_t warp_instructions = 0;
  std::optional<ThrottleResult> throttle;  // none without a throttle
  std::optional<LostWork> lost{};          // none where blocks are not flushed
};

struct ApplicationResult {
  std::string application;
  std::uint64_t turnaround_ps = 0;  // of the first execution, or a server's; 0 if it has not ended
  std::uint64_t completions = 0;    // executions, or requests that were served
  std::uint64_t kernels_launched = 0;
  std::uint64_t bytes_copied = 0;
  std::uint64_t warp_instructions = 0;
  // From its start until an application reached its target first: the time, and the warp instructions that
  // this application issued. Both are 0 if no application has a target or a window.
  std::uint64_t shared_ps = 0;
  std::uint64_t shared_instructions = 0;
  std::vector<KernelResult> kernels;
  std::optional<RequestsResult> requests{};  // none if it is no server
  // In a run with servers, by window of RunResult::progress_window_ps: of a server the mean service time of
  // the requests that ended in it, in picoseconds, none without such; of another application the blocks that
  // ended. Empty in a run without servers, and so is the next: the time since its start.
  std::vector<std::optional<double>> progress{};
  std::optional<std::uint64_t> present_ps{};

  std::uint64_t blocks_done() const {
    std::uint64_t blocks = 0;
    for (const KernelResult& kernel : kernels) blocks += kernel.blocks_done;
    return blocks;
  }
  // Returns the sum over the kernels; none where blocks are not flushed.
  std::optional<LostWork> lost() const {
    std::optional<LostWork> sum;
    for (const KernelResult& kernel : kernels)
      if (kernel.lost) sum = (sum ? *sum : LostWork{}) += *kernel.lost;
    return sum;
  }
};

struct ShareResult {
  std::string application;
  std::string kernel;
  std::uint32_t blocks = 0;
  std::vector<double> performance;
};

// A PartitionDecision whose contexts and kernels are named.
struct DecisionResult {
  std::uint64_t cycle = 0;
  PartitionDecision::Kind kind = PartitionDecision::Kind::kProfile;
  double loss = 0;
  std::vector<ShareResult> shares;
};

// The results that only cycle SMs have.
struct SmResult {
  double icnt_hz = 0;
  double l2_hz = 0;
  double dram_hz = 0;
  BucketCycles sm_cycles{};                            // summed over the SMs, by Bucket
  BucketCycles issue_slots{};                          // summed over the schedulers, by Bucket
  std::array<std::optional<Ratio>, kUnitKinds> units;  // utilisation; none if the SMs lack the unit
  Ratio registers;                                     // utilisation
  Ratio shared_memory;                                 // utilisation
  Ratio schedulable_warps;                             // of an SM, in the mean
  std::optional<Ratio> registers_hit_rate;             // none if the resource manager does not map
  std::optional<Ratio> shared_memory_hit_rate;         // the same
  std::optional<Ratio> registers_use;                  // accessed in an epoch; none if it is not counted
  std::optional<Ratio> shared_memory_use;              // the same
  Ratio l1_miss_rate;
  Ratio l2_miss_rate;
  Ratio l2_mpki;  // lines that L2 missed per thousand warp instructions
};

// What has come of a block in RTL that ran beside the model.
struct RtlComparison {
  std::string block;              // "rtl.NAME"
  bool answers = false;           // it answers requests; else it chooses
  std::uint64_t compared = 0;     // choices, or requests that both have answered
  std::uint64_t unanswered = 0;   // requests that one of them had not answered at the end
  std::uint64_t differences = 0;  // between RTL and model
  std::string first;              // a line that tells the earliest difference; empty without one
};

struct RunResult {
  std::uint64_t simulated_ps = 0;
  std::uint64_t cycles = 0;                      // with a kernel resident
  std::optional<std::uint64_t> shared_cycles{};  // with two kernels or more; none in results from before
  std::uint64_t warp_instructions = 0;
  double core_hz = 0;
  double pcie_hz = 0;
  std::optional<SmResult> sms;  // none if the SMs are timed
  Ratio occupancy;
  Ratio fill;
  std::vector<DecisionResult> decisions;  // of a partitioner that profiles, in order of time
  // The quotas by application of the last decision over all applications. An application without a quota has
  // none.
  std::optional<std::vector<std::optional<std::uint32_t>>> quotas;
  // By application the SMs that the partitioner lets it have; empty if each may have every SM, or if which it
  // may have depends on the time.
  std::vector<std::vector<std::uint32_t>> sm_sets{};
  std::vector<ApplicationResult> applications;      // one or more
  std::optional<std::uint64_t> progress_window_ps;  // length of the windows of progress; none without servers
  // All hand-overs, then those of each way that happened; empty without one.
  std::vector<HandoverResult> handovers;
  std::vector<RtlComparison> rtl;  // by block; empty without a block beside the model
  std::uint64_t transactions = 0;  // requests of loads and stores to L2; 0 with timed SMs
  // Of the whole machine, and the part that is of events. Both have no value if the platform has no energies.
  std::optional<std::uint64_t> energy_fj;
  std::optional<std::uint64_t> dynamic_energy_fj;
};

inline ThrottleResult& ThrottleResult::operator+=(const ThrottleResult& other) {
  slices += other.slices;
  settled += other.settled;
  most_blocks += other.most_blocks;
  caps += other.caps;
  samples += other.samples;
  cycles += other.cycles;
  cycles_to_settle += other.cycles_to_settle;
  return *this;
}

// The time that a simulation took on the host, in seconds.
struct RunCost {
  double wall_seconds = 0;
  double cpu_seconds = 0;

  double cycles_per_second(const RunResult& run) const {
    return static_cast<double>(run.cycles) / wall_seconds;
  }
};

}  // namespace heddle
