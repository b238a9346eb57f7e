#pragma once
// The simulations of `heddle run`: the variants of an experiment, and those of its applications alone whose
// times are not in the cache.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "platforms/experiment/experiment.h"
#include "platforms/run/alone_cache.h"
#include "platforms/run/job.h"

namespace heddle {

struct ExperimentJobs {
  static constexpr std::size_t kVariant = SIZE_MAX;

  std::vector<Job> variants;
  std::vector<Job> alone;  // of the applications that are not in the cache; one for all that are the same
  std::vector<std::size_t>
      alone_jobs;  // by application: place in `alone`, or kVariant if the first variant is the run alone
  std::vector<AloneRun> alone_runs;  // by application: from the cache, or empty until it is run
  std::vector<std::string> alone_keys;
};

// Each variant has a folder of its own in `directory`, and writes the files that `files` asks for.
ExperimentJobs make_experiment_jobs(const Experiment& experiment, const AloneCache& cache,
                                    const std::string& directory, const Job& files);

// The message names all jobs that failed.
struct RunFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs all jobs, `parallel` at a time, stores times alone in the cache, and returns the simulation of each
// variant. After SIGINT or SIGTERM the variants that have not ended are empty. Throws Interrupted if no
// variant has ended, or if the time of an application alone is missing, without which no variant can be
// judged. Throws RunFailure. `quiet` shows no progress.
std::vector<std::optional<Simulation>> run_experiment_jobs(ExperimentJobs& jobs, Experiment& experiment,
                                                           const AloneCache& cache, std::size_t parallel,
                                                           bool quiet);

}  // namespace heddle
