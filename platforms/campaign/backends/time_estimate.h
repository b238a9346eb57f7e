#pragma once
// The runs of a campaign that are done and left, and the time that is left.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"
#include "platforms/campaign/store/run_store.h"

namespace heddle {

struct TimeEstimate {
  std::map<RunState, std::size_t> states;   // of all runs, with those of applications alone
  std::size_t left = 0;                     // runs that are to be done
  std::optional<double> seconds_of_run;     // mean wall time of the runs that are ok; none while none is
  std::optional<double> seconds;            // wall time left; none while no run is ok
  std::vector<std::size_t> left_of_points;  // variants that are left, by point
  std::string note;                         // see note_of_seeds()
};

// Limits of an estimate, so that it takes a few seconds at most. The identities of a point's runs take about
// 0.3 ms, or 4 ms for a point that loads an experiment of its own.
constexpr std::size_t kMostEstimatedPoints = 10000;
constexpr std::size_t kMostEstimatedLoads = 1500;

// Returns nothing beyond these limits. The time left is the mean time of the runs that are ok for each run
// that is left, with `jobs` runs at a time. Throws config::Error if a point does not load.
std::optional<TimeEstimate> estimate(const Campaign& campaign, const std::string& directory,
                                     std::size_t jobs);

}  // namespace heddle
