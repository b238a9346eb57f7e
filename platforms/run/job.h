#pragma once
// A job is one simulation in a process of its own. SystemC elaborates once per process, and a run that
// crashes does not end other runs.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/core/base/run_limit.h"
#include "models/machine/machine_spec.h"
#include "models/machine/timeline_observer.h"
#include "models/machine/trace_log.h"
#include "models/stats/waves/wave_format.h"
#include "platforms/experiment/series_request.h"
#include "platforms/run/child.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

class WorkMeter;

// The waveform of the series, for viewers.
struct WaveRequest {
  std::string path;  // empty: none
  WaveFormat format = WaveFormat::kFst;
};

// What passes a block of the memory path is written to a file; see stimuli_file.h.
struct StimuliRequest {
  std::string place;  // such as "l2_0" or "dram0", which the machine has; empty: none
  std::string path;
  bool local_addresses = true;
};

struct Job {
  std::string label;
  MachineSpec machine;
  // The folder of the results, which the job makes. If it is empty, the job writes no files.
  std::string directory;
  std::optional<TimelineDetail> timeline;  // none: no timeline
  std::vector<TraceSelection> trace;       // empty: no trace
  bool full_stats = false;                 // writes stats.csv, too
  SeriesRequest series;
  WaveRequest waves;
  StimuliRequest stimuli;
  RunLimit limit;  // at which the run fails
  bool build_reversed = false;
  WorkMeter* meter = nullptr;  // see GpuOptions; it needs simulate() in this process
  unsigned threads = 1;        // of the host, WorkerPool::kMostThreads at most; the results are the same
};

struct Simulation {
  RunResult result;
  RunCost cost;
};

struct JobResult {
  bool has_ended = false;  // false if it was interrupted
  std::string failure;     // empty if the simulation went well
  Simulation done;         // valid if it has ended and `failure` is empty
};

struct JobProgress {
  std::size_t job = 0;
  double fraction = 0;  // 0 .. 1, see simulate()
  double simulated_ms = 0;
  double cycles_per_second = 0;  // core cycles simulated per second of wall time
};

// Runs all jobs, at most `parallel` at a time, and returns their results in the order of the jobs. Jobs start
// in this order. Throws std::runtime_error if a process cannot be made. On SIGINT or SIGTERM it stops all
// jobs; the first function throws Interrupted, and the second one returns what has ended until then.
std::vector<JobResult> run_jobs(const std::vector<Job>& jobs, std::size_t parallel,
                                const std::function<void(const JobProgress&)>& progress);
std::vector<JobResult> run_jobs_until_interrupted(const std::vector<Job>& jobs, std::size_t parallel,
                                                  const std::function<void(const JobProgress&)>& progress);

// Simulates in this process. Throws std::runtime_error with the reason if the simulation fails, and
// InterruptedRun where an InterruptFlag is set. The progress
// of a run is the mean over its processes of their first executions: instructions issued of the target,
// cycles passed of the window, or blocks issued of all blocks.
Simulation simulate(const Job& job, const std::function<void(const JobProgress&)>& progress);

// Returns the patterns of the job's series that match no statistic of its machine. The machine is made in a
// process of its own, and does not run.
std::vector<std::string> unmatched_patterns(const Job& job);

// Returns the CPU time of this process until now in seconds, user and system time together.
double cpu_seconds();

}  // namespace heddle
