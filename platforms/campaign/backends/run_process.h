#pragma once
// One run of a campaign, simulated in the process that was forked for it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platforms/campaign/store/run_store.h"
#include "platforms/experiment/experiment.h"
#include "platforms/experiment/series_request.h"

namespace heddle {

struct RunTask {
  std::string id;
  std::string label;
  std::function<Experiment()> inputs;  // makes the experiment, of one variant
  std::optional<std::uint64_t> memory_bytes;
  SeriesRequest series;
  std::vector<std::string> argv;
  unsigned threads = 1;
};

// The exit status of a process that exceeds its memory limit.
constexpr int kOutOfMemoryStatus = 4;

// Simulates into the run's draft, which `parent` has begun, and sends a RunMessage over the pipe from time to
// time, and one at the end once the run has its place in the store, or could not be written and its draft is
// removed. The parent records the end of a process that does not send the last message. Standard output and
// standard error go to the draft's log. The process is killed when the parent ends.
void live_run(const RunStore& store, const RunTask& task, pid_t parent, int pipe);

}  // namespace heddle
