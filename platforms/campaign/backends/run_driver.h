#pragma once
// Works through runs of a campaign, so many at a time, each in a process of its own.

#include <chrono>
#include <string>
#include <vector>

#include "platforms/campaign/backends/progress.h"
#include "platforms/campaign/store/run_plan.h"
#include "platforms/campaign/store/run_store.h"

namespace heddle {

struct RunDriverOptions {
  std::size_t jobs = 1;               // runs at a time
  std::chrono::milliseconds silence;  // a run that tells nothing for so long hangs
  std::vector<std::string> argv;      // for the provenance
};

// Runs what no other process works at and what is not ok by now. Throws Interrupted, and OutputError where
// something could not be written: no run was started after that, and those under way have ended.
void work_through(const Campaign& campaign, const RunPlan& plan, const std::vector<const PlannedRun*>& runs,
                  const RunStore& store, const RunDriverOptions& options, BatchProgress& progress);

}  // namespace heddle
