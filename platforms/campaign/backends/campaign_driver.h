#pragma once
// The verbs of `heddle batch` that run a campaign. Each returns the exit code: 0 all is well, 2 usage, bad
// input or a campaign that another process works at (thrown as config::Error), 3 a run that did not go well
// or could not be written, 130 interrupted.

#include <chrono>
#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"

namespace heddle {

struct BatchOptions {
  std::string directory;  // empty: results/campaigns/NAME
  std::size_t jobs = 0;   // runs at a time; 0: one per core
  bool resume = false;    // what failed, took too long or too much memory, too; else what is not there
  bool json = false;      // of status: one object and nothing else
  bool quiet = false;     // no progress
  std::chrono::seconds silence{600};  // a run that tells nothing for so long hangs
  std::vector<std::string> argv;
};

// As given, or the defaults.
std::string directory_of(const Campaign& campaign, const std::string& directory);
std::size_t jobs_of(std::size_t jobs);

// Runs what is missing of a campaign, each run in a process of its own. The directory is made, or added to.
int batch_run(const Campaign& campaign, const BatchOptions& options);

// Gives what is missing of a campaign to Slurm, but for what it has already, as arrays of tasks, and returns.
int batch_submit(const Campaign& campaign, const BatchOptions& options);

// Runs one chunk of a submission, as its task script does; `jobs` 0: the campaign's slurm.cpus.
int batch_task(const std::string& submission, std::uint64_t chunk, const BatchOptions& options);

// Prints how far the campaign in a directory is: runs by state and by value of each axis, and what failed.
int batch_status(const BatchOptions& options);

}  // namespace heddle
