#pragma once
// The backend of this machine: a campaign's runs, each in a process of its own.

#include <cstddef>
#include <string>

#include "platforms/campaign/backends/backend_options.h"
#include "platforms/campaign/backends/run_driver.h"
#include "platforms/campaign/backends/run_progress.h"
#include "platforms/campaign/plan/campaign.h"

namespace heddle {

struct CampaignOutcome {
  WorkResult work;
  std::size_t runs = 0;  // of the whole campaign
  std::size_t ok = 0;    // of these
  std::string directory;
};

// Runs what a campaign does not have yet. The directory is made, or added to. Throws config::Error if another
// process works at the campaign, a point does not load or a pattern of its series matches nothing,
// OutputError if the directory cannot be written.
CampaignOutcome run_campaign(const Campaign& campaign, const BackendOptions& options, RunProgress& progress);

}  // namespace heddle
