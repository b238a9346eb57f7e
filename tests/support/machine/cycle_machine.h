#pragma once
// A machine with cycle SMs, run to its end in a process of its own: what it counted, and how long it took.
// Call before the test makes any module.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/gpu/gpu_spec.h"
#include "models/host/host_process_spec.h"

namespace heddle {
class Gpu;
}

namespace heddle::test {

// The GTX 480 with values changed as --set has them: "caches.l1.size=32KiB", "policies.warp_scheduler=lrr".
GpuSpec gtx480(const std::vector<std::string>& settings = {});
// The same with hardware queues enough for several contexts at once.
GpuSpec shared_gtx480(const std::string& sm_partitioner, std::vector<std::string> settings = {});

// A shipped synthetic application with values changed as --set has them.
ApiProgram shipped(const std::string& name, const std::vector<std::string>& settings = {});

struct KernelSize {
  std::uint64_t blocks = 1;
  std::uint32_t threads = 32;
  std::uint32_t registers = 16;    // per thread
  std::uint32_t shared_bytes = 0;  // per block
};
// An application that launches one kernel of this code, a YAML list in one line.
ApiProgram synthetic(const std::string& code, const KernelSize& size = {});
// The same with a program of the test's own; `open` makes one for each launch.
ApiProgram launch_of(std::function<std::unique_ptr<KernelProgram>()> open, const KernelSize& size = {});

// A process that runs the program once.
HostProcessSpec process_of(ApiProgram program, std::int32_t priority = 0, std::int32_t tokens = 0);

struct CycleRun {
  std::string failure;  // empty: every application ended, and everything came to rest
  std::string stats;    // stats.json
  std::map<std::string, std::uint64_t> counters;  // by path: "gpu.sm0.cycles.active"
  std::uint64_t core_cycles = 0;                  // since the start of simulation
  std::string note;                               // what the run's `note` said of its end

  std::uint64_t at(const std::string& path) const;  // a path there is none of fails the test
  // Over all counters of the pattern, in which * stands for any characters but dots; none fails the test.
  std::uint64_t sum(const std::string& pattern) const;
  std::uint64_t cycles() const { return at("gpu.engine.active_cycles"); }  // with a kernel on the engine
};

enum class Build : std::uint8_t {
  kPlain,
  kReversed,   // blocks are constructed in reverse order
  kSleepless,  // every block is ticked in every cycle
};

// The processes' numbers are their places. Afterwards kernels and blocks are conserved and nothing is in
// flight, or the test fails, unless the machine itself failed.
CycleRun run(const GpuSpec& gpu, std::vector<HostProcessSpec> processes, Build build = Build::kPlain,
             const std::function<std::string(Gpu&)>& note = {});
CycleRun run(const GpuSpec& gpu, const ApiProgram& program, Build build = Build::kPlain);

}  // namespace heddle::test
