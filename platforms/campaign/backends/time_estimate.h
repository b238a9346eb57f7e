#pragma once
// How far a campaign's directory is with the runs that the campaign needs now.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"
#include "platforms/campaign/store/run_store.h"

namespace heddle {

struct TimeEstimate {
  std::map<RunState, std::size_t> states;   // of all runs, the applications alone too
  std::size_t left = 0;                     // of them, what heddle batch run would run
  std::optional<double> seconds;            // of wall time; none while no run has finished
  std::vector<std::size_t> left_of_points;  // variants, by point
};

// Beyond so many nothing is looked up, lest planning takes longer than a few seconds: to know a point's runs
// takes some 0.3 ms, and 4 ms where no other differs from it in the seed alone.
constexpr std::size_t kMostEstimatedPoints = 10000;
constexpr std::size_t kMostEstimatedLoads = 1500;

// None beyond these limits. seconds: the mean of the finished runs' times for each that is left, `jobs` at
// a time. Throws config::Error where a point does not load.
std::optional<TimeEstimate> estimate(const Campaign& campaign, const std::string& directory,
                                      std::size_t jobs);

}  // namespace heddle
