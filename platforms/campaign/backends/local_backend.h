#pragma once
// The backend of this machine: a campaign's runs, each in a process of its own.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "platforms/campaign/backends/run_driver.h"
#include "platforms/campaign/backends/run_progress.h"
#include "platforms/campaign/plan/campaign.h"

namespace heddle {

struct BackendOptions {
  std::string directory;              // of the results; empty: results/campaigns/NAME
  std::size_t jobs = 0;               // runs at a time; 0: one per core
  bool resume = false;                // also the runs that failed, took too long or took too much memory
  std::chrono::seconds silence{600};  // a run that sends no message for this long is killed
  std::vector<std::string> argv;      // for the provenance
};

std::string directory_of(const Campaign& campaign, const std::string& directory);
std::size_t jobs_of(std::size_t jobs);

struct CampaignOutcome {
  WorkResult work;
  std::size_t runs = 0;  // of the whole campaign
  std::size_t ok = 0;    // of these
  std::string directory;
};

// Runs what a campaign does not have yet. The directory is made, or added to. Throws config::Error if another
// process works at the campaign or a point does not load, OutputError if the directory cannot be written.
CampaignOutcome run_campaign(const Campaign& campaign, const BackendOptions& options, RunProgress& progress);

}  // namespace heddle
