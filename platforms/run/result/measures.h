#pragma once
// The measures that compare runs: they are computed from a run's result and the turnarounds of its
// applications alone.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/stats/metrics.h"
#include "platforms/run/result/alone_run.h"
#include "platforms/run/result/request_measures.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

struct SmMeasures {
  std::array<std::optional<double>, kBuckets> share_of;  // of the SMs' cycles, by Bucket; none without cycles
  // The same of the SMs' cycles while a kernel is on the execution engine; none without such cycles.
  std::array<std::optional<double>, kBuckets> resident_share_of;
  double stalled_cycles = 0;  // cycles with a resident warp in which none issued
  double stalled_slots = 0;   // cycles of each scheduler with a resident warp of its own in which none issued
  std::optional<double> stalled_share;       // of the SMs' cycles; none without cycles
  std::optional<double> stalled_slot_share;  // of the cycles of all schedulers; none without cycles
  std::optional<double> ipc;                 // warp instructions per cycle; none without cycles
};

// What a block throttle did, by application; an application without a slice has no values. Means are over the
// slices of its kernels.
struct ThrottleMeasures {
  using Values = std::vector<std::optional<double>>;
  Values caps;         // the mean cap in the end, in blocks
  Values most_blocks;  // the mean number of blocks without a cap
  Values blocks;       // the mean number of blocks that a slice ran
  Values samples;      // the mean number of samples
  Values settled;      // the share of the slices for which a cap was chosen
  Values settling;     // the share of the slices' cycles before that
};

struct RunMeasures {
  RunResult run;
  std::optional<SmMeasures> sms;             // none with timed SMs
  std::optional<ThrottleMeasures> throttle;  // none without a throttle
  // The share of cycles that a partitioner spent on profiles. It has no value if the partitioner makes no
  // decisions.
  std::optional<double> profiled;
  // By application. In a run with servers, the time of a server is the mean service time of its measured
  // requests, and that of another application the time that it took for each block. An application without a
  // value, such as a server that has served nothing, has the NTT NaN, and what depends on it is NaN.
  Multiprogram multiprogram;
  // The sum of the turnarounds alone over the longest turnaround together: the speed-up over running the
  // applications one after the other. None in a run with servers, which do not run one after the other.
  std::optional<double> sequential_speedup;
  std::vector<std::optional<RequestMeasures>> requests;  // by application; none if it is no server
  std::optional<Unfairness> unfairness;                  // over time; none without servers
  // The smallest speed-up of an application until the first one reached its target: its time alone for the
  // instructions that it issued until then, at its mean rate alone, over that time. None without targets.
  std::optional<double> shared_minimum_speedup;
  double completions_per_second = 0;
  // The share of the simulated time in which a kernel is on the execution engine, and the share of all SMs'
  // simulated time in which a block is resident. RunResult::occupancy is the second over the first.
  std::optional<double> engine_busy;
  std::optional<double> sm_busy;
  // The energy of the run, its mean power over the simulated time, and its product with that time, in joules,
  // watts and joule seconds; the mean power of events alone, and the share of the energy that is of static
  // power. They have no value if the platform has no energies.
  std::optional<double> energy;
  std::optional<double> mean_power;
  std::optional<double> energy_delay_product;
  std::optional<double> dynamic_power;
  std::optional<double> static_share;
  std::optional<std::uint64_t> prioritised_turnaround_ps;
};

// `alone` has the run of each application alone. `prioritised` is the index of the prioritised application,
// if there is one. Throws std::invalid_argument if a turnaround is zero or the numbers of applications
// differ.
RunMeasures measure(const RunResult& run, const std::vector<AloneRun>& alone,
                    std::optional<std::size_t> prioritised);

}  // namespace heddle
