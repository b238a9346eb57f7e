#pragma once
// One simulation, in a process of its own: SystemC elaborates once per process, and a run that dies takes no
// other with it.

#include <functional>
#include <string>
#include <vector>

#include "models/machine/machine_spec.h"
#include "platforms/run/child.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

struct Job {
  std::string label;
  MachineSpec machine;
  std::string directory;  // where its results go, made by the job; empty: none
  bool timeline = false;
  bool build_reversed = false;
};

struct Simulation {
  RunResult result;
  RunCost cost;
};

struct JobResult {
  std::string failure;  // empty if the simulation went well
  Simulation done;      // then what it tells
};

struct JobProgress {
  std::size_t job = 0;
  double fraction = 0;  // of the first executions' blocks, 0 .. 1
  double simulated_ms = 0;
  double cycles_per_second = 0;  // core cycles simulated per second of wall time
};

// Runs every job, `parallel` at a time, and returns their results in order. Throws std::runtime_error if a
// process cannot be made; stops them all and throws Interrupted on SIGINT or SIGTERM.
std::vector<JobResult> run_jobs(const std::vector<Job>& jobs, std::size_t parallel,
                                const std::function<void(const JobProgress&)>& progress);

// Simulates in this process. Throws std::runtime_error with what went wrong.
Simulation simulate(const Job& job, const std::function<void(const JobProgress&)>& progress);

// CPU time of this process until now, by user and system.
double cpu_seconds();

}  // namespace heddle
