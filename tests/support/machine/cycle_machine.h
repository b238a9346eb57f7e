#pragma once
// Runs a machine with cycle SMs to its end in a process of its own, and returns its counters and its
// simulated time. It must be called before the test makes any module.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/gpu/gpu_spec.h"
#include "models/host/process/host_process_spec.h"

namespace heddle {
class Gpu;
}

namespace heddle::test {

// Returns the GTX 480 with some values changed. A setting has the form of the option --set, for example
// "caches.l1.size=32KiB" or "policies.warp_scheduler=lrr".
GpuSpec gtx480(const std::vector<std::string>& settings = {});
// Returns the GTX 480 with this SM partitioner and enough hardware queues for several contexts at once.
GpuSpec shared_gtx480(const std::string& sm_partitioner, std::vector<std::string> settings = {});

// Returns a shipped synthetic application with some values changed, in the form of the option --set.
ApiProgram shipped(const std::string& name, const std::vector<std::string>& settings = {});

struct KernelSize {
  std::uint64_t blocks = 1;
  std::uint32_t threads = 32;
  std::uint32_t registers = 16;    // per thread
  std::uint32_t shared_bytes = 0;  // per block
};
// Returns an application that launches one kernel. `code` is a YAML list in one line.
ApiProgram synthetic(const std::string& code, const KernelSize& size = {});
// Returns an application that launches one kernel whose program the test defines. `open` is called once for
// each launch.
ApiProgram launch_of(std::function<std::unique_ptr<KernelProgram>()> open, const KernelSize& size = {});

// Returns a process that runs the program once.
HostProcessSpec process_of(ApiProgram program, std::int32_t priority = 0, std::int32_t tokens = 0);

struct CycleRun {
  // The message of the failure. It is empty if every application ended and nothing was left in flight.
  std::string failure;
  std::string stats;                              // the content of stats.json
  std::map<std::string, std::uint64_t> counters;  // by path, as in "gpu.sm0.cycles.active"
  std::uint64_t core_cycles = 0;                  // since the start of simulation
  // The text that the argument `note` of run() returned at the end of the run.
  std::string note;

  // Returns the counter of this path. The test fails if there is no such counter.
  std::uint64_t at(const std::string& path) const;
  // Returns the sum over all counters that match the pattern, in which * stands for any characters but dots.
  // The test fails if no counter matches.
  std::uint64_t sum(const std::string& pattern) const;
  // Returns the core cycles with a kernel on the execution engine.
  std::uint64_t cycles() const { return at("gpu.engine.active_cycles"); }
};

enum class Build : std::uint8_t {
  kPlain,
  kReversed,   // the modules are constructed in reverse order
  kSleepless,  // every sleeper is ticked in every cycle
};

// Runs the processes, which are numbered by their places, until all have ended or the machine fails. After a
// run without failure the test fails if kernels or blocks are lost or repeated, or if anything is in flight.
CycleRun run(const GpuSpec& gpu, std::vector<HostProcessSpec> processes, Build build = Build::kPlain,
             const std::function<std::string(Gpu&)>& note = {});
CycleRun run(const GpuSpec& gpu, const ApiProgram& program, Build build = Build::kPlain);

}  // namespace heddle::test
