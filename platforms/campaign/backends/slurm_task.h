#pragma once
// One task of a submission to Slurm. Its task script can also be run without Slurm, on any host that sees the
// campaign's directory.

#include <cstddef>
#include <cstdint>
#include <string>

#include "platforms/campaign/backends/backend_options.h"
#include "platforms/campaign/backends/run_driver.h"
#include "platforms/campaign/backends/run_progress.h"

namespace heddle {

struct TaskOutcome {
  WorkResult work;
  std::size_t runs = 0;  // of the chunk
  std::size_t ok = 0;    // of these
};

// Runs one chunk of a submission, numbered from 0; options.jobs 0 stands for the campaign's slurm.cpus and
// options.directory is not used. Throws config::Error if there is no such chunk, or the program or an input
// has changed since the submission.
TaskOutcome run_task(const std::string& submission, std::uint64_t chunk, const BackendOptions& options,
                     RunProgress& progress);

}  // namespace heddle
