#pragma once
// What an application did when it ran alone. Measures are normalised to it.

#include <cstdint>

#include "platforms/run/result/run_result.h"

namespace heddle {

struct AloneRun {
  AloneRun() = default;
  AloneRun(std::uint64_t ps) : turnaround_ps(ps) {}  // NOLINT: a turnaround is what most of them are
  explicit AloneRun(const RunResult& run);           // of a run of one application

  std::uint64_t turnaround_ps = 0;
  std::uint64_t warp_instructions = 0;  // issued until the end of the run; 0 on timed SMs
  std::uint64_t blocks_done = 0;
  // Of the measured requests that a server has served; all 0 if it has served none, or is no server.
  double service_ps = 0;   // mean
  double response_ps = 0;  // mean
  double throughput = 0;   // per second
};

}  // namespace heddle
