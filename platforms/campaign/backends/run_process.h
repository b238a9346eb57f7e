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

// Simulates into the run's draft, which its parent has begun, and sends a RunMessage over the pipe now and
// then, and one at the end once the run has its place in the store or could not be written. Whoever started
// this process has to see to one that does not send the last message. It ends when its parent does.
void live_run(const RunStore& store, const RunTask& task, pid_t parent, int pipe);

}  // namespace heddle
