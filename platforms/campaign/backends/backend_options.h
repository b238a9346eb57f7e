#pragma once
// What both backends are asked to do with a campaign.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"

namespace heddle {

struct BackendOptions {
  std::string directory;              // of the results; empty: results/campaigns/NAME
  std::size_t jobs = 0;               // runs at a time; 0: one per core
  unsigned threads = 1;               // the most of one run
  bool resume = false;                // also the runs that failed, took too long or took too much memory
  std::chrono::seconds silence{600};  // a run that sends no message for this long is killed
  std::vector<std::string> argv;      // for the provenance
  bool trust = false;                 // see Campaign::trusted
};

// Returns the options as given, or their defaults.
std::string directory_of(const Campaign& campaign, const std::string& directory);
std::size_t jobs_of(std::size_t jobs);

}  // namespace heddle
