#pragma once
// A campaign as arrays of Slurm tasks. Slurm's queue is the record of what was submitted: the comment of a
// job names its submission and the chunk of its first element.

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/campaign/backends/backend_options.h"
#include "platforms/campaign/plan/campaign.h"

namespace heddle {

struct SubmitOutcome {
  std::size_t runs = 0;           // of the campaign; each is done, queued or submitted
  std::size_t done = 0;           // runs that needed no submission
  std::size_t queued = 0;         // runs that an earlier submission has in Slurm's queue
  std::size_t submitted = 0;      // runs of this submission
  std::size_t tasks = 0;          // Slurm tasks of this submission
  std::vector<std::string> jobs;  // Slurm's numbers of its arrays
  std::string directory;
  std::string note;  // see note_of_seeds()
};

// Submits what a campaign does not have yet and returns at once. Throws config::Error if Slurm's commands are
// missing or another process submits the campaign, std::runtime_error with the words of a command that fails.
SubmitOutcome submit_campaign(const Campaign& campaign, const BackendOptions& options);

}  // namespace heddle
