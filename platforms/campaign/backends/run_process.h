#pragma once
// One run of a campaign, in the process that was forked for it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platforms/campaign/store/run_store.h"
#include "platforms/experiment/experiment.h"

namespace heddle {

struct RunTask {
  std::string id;
  std::string label;
  std::function<Experiment()> inputs;  // of one variant
  std::optional<std::uint64_t> memory_bytes;
  std::vector<std::string> argv;
};

// With this status a process ends that may not have the memory it asks for.
constexpr int kOutOfMemoryStatus = 4;

// Simulates into the run's draft, which its parent has begun, and tells over the pipe: {"fraction": done so
// far} now and then; at the end {"state", "reason"} once the run has its place in the store, or {"unwritten":
// why} where it could not be written and nothing is left of it. Whoever started it has to see to a process
// that says neither. It ends when that one does.
void live_run(const RunStore& store, const RunTask& task, pid_t parent, int pipe);

}  // namespace heddle
