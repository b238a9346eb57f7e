#pragma once
// The driver that works through runs of a campaign, several at a time, each in a process of its own.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "platforms/campaign/backends/run_progress.h"
#include "platforms/campaign/store/run_plan.h"
#include "platforms/campaign/store/run_store.h"

namespace heddle {

struct RunDriverOptions {
  std::size_t jobs = 1;               // runs at a time, of one thread each
  unsigned threads = 1;               // the most of one run; see threads_of_next()
  std::chrono::milliseconds silence;  // a run that sends no message for this long is killed
  std::vector<std::string> argv;      // for the provenance
};

// How a driver came to its end.
struct WorkResult {
  enum class End {
    kAllDone,
    kInterrupted,  // by SIGINT or SIGTERM; the runs in progress were killed
    kUnwritten,    // a file could not be written; no run was started after that
  };

  End end = End::kAllDone;
  std::size_t runs = 0;  // to be done
  std::size_t done = 0;  // of these, whatever their state
  std::string reason;    // of kUnwritten
};

// Returns the threads of the next run, when `pending` runs with this one are left to start and `free` more
// runs of one thread could be started. While there are as many runs as may run at a time, each has one
// thread, because two runs of one thread take less than one run of two and then another. The last runs share
// what is free.
unsigned threads_of_next(std::size_t free, std::size_t pending, unsigned most);

// The runs of a plan that are to be done, in its order; see is_due().
std::vector<const PlannedRun*> due_runs(const RunPlan& plan, const RunStore& store, bool resume);

// Works through `runs`, except those that another process works at and those that are ok by then. From the
// call on SIGINT and SIGTERM are caught.
WorkResult work_through(const Campaign& campaign, const RunPlan& plan,
                        const std::vector<const PlannedRun*>& runs, const RunStore& store,
                        const RunDriverOptions& options, RunProgress& progress);

}  // namespace heddle
