#pragma once
// The measures of servers and of applications beside them: they are computed from a run's result and the runs
// of its applications alone.

#include <cstdint>
#include <optional>
#include <vector>

#include "platforms/run/result/alone_run.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

// Of the measured requests of a server. A rate is per second of RequestsResult::measured_ps.
struct RequestMeasures {
  // The share of the requests that were served by their deadline and within the limits of their tokens; one
  // that was shed or cut off was not. None without a deadline and a limit, or without a request.
  std::optional<double> deadlines_met;
  std::optional<double> goodput;                // requests served in time; without a limit, all served
  std::optional<double> throughput;             // requests served
  std::optional<double> normalised_throughput;  // over that alone
  // The arrival rate times the mean service time alone. From 1 on, the queue grows without bound under every
  // policy. None where RequestsResult::offered_load is none.
  std::optional<double> load_alone;
};

RequestMeasures measure_requests(const RequestsResult& requests, const AloneRun& alone);

// The normalised turnaround of an application in a run with servers: how much more time it takes for the same
// work than alone. Of a server it is the mean service time of a request over that alone. Of another
// application it is the time for a block, from its start to the end of the run, over that alone, where it
// executes its program once. None if one of both has done nothing.
std::optional<double> slowdown_of(const ApplicationResult& application, const AloneRun& alone);

// Unfairness is the largest slowdown over the smallest one, 1 or more: the largest normalised progress over
// the smallest. Its inverse is the fairness of Eyerman and Eeckhout, "System-Level Performance Metrics for
// Multiprogram Workloads" (IEEE Micro 28(3), 2008), which Ebrahimi et al. ("Fairness via Source Throttling",
// ASPLOS 2010) call unfairness in this form. Here it is taken in each window of the run, over the
// applications that have done something in the window; a single one has none.
struct Unfairness {
  std::uint64_t window_ps = 0;
  std::vector<std::optional<double>> windows;
  // By window and application: its slowdown; none if it has done nothing in the window.
  std::vector<std::vector<std::optional<double>>> slowdowns{};
  std::optional<double> mean;  // of the windows that have a value
  std::optional<double> most;
};

// None in a run without servers.
std::optional<Unfairness> measure_unfairness(const RunResult& run, const std::vector<AloneRun>& alone);

}  // namespace heddle
