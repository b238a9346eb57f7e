#pragma once
// What follows from a run's result and from its applications alone: the numbers by which runs are compared.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/stats/metrics.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

struct SmMeasures {
  std::array<std::optional<double>, kBuckets> share_of;  // of the SMs' cycles, by Bucket; none without any
  double stalled_cycles = 0;                             // with a warp, in which none issued
  std::optional<double> ipc;                             // warp instructions per cycle; none without a cycle
};

struct RunMeasures {
  RunResult run;
  std::optional<SmMeasures> sms;   // where the run has cycle SMs
  std::optional<double> profiled;  // of a partitioner that decides: the share of cycles spent on profiles
  Multiprogram multiprogram;       // ntt by application
  double completions_per_second = 0;
  std::optional<std::uint64_t> prioritised_turnaround_ps;
};

// alone_ps: the turnaround of each application alone; prioritised: which of them, if any. Throws
// std::invalid_argument where a turnaround is zero or the numbers of applications differ.
RunMeasures measure(const RunResult& run, const std::vector<std::uint64_t>& alone_ps,
                    std::optional<std::size_t> prioritised);

}  // namespace heddle
