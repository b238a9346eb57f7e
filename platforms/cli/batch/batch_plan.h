#pragma once
// What `heddle batch plan` prints; `heddle check` prints it of a campaign too.

#include <cstddef>
#include <string>
#include <vector>

namespace heddle {

struct BatchPlanOptions {
  std::string campaign;           // a name or a file
  std::vector<std::string> sets;  // KEY=VALUE of the campaign
  std::string directory;          // of its results; empty: results/campaigns/NAME
  std::size_t jobs = 0;           // runs at a time, for the estimate; 0: one per core
  bool all = false;               // print every point, however many
  bool json = false;
};

// Validates a campaign and prints its points, its runs and the time that is left. Throws config::Error.
void plan_campaign(const BatchPlanOptions& options);

}  // namespace heddle
