#pragma once
// The results of a campaign, read from its directory.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/campaign/plan/campaign.h"
#include "platforms/campaign/store/points.h"
#include "platforms/campaign/store/run_store.h"

namespace heddle {

struct CollectedRun {
  std::string id;
  std::string label;  // the first point that needs it, and its variant or application
  bool alone = false;
  RunRecord record;
  bool is_kept = false;  // the run has a directory
  std::vector<std::pair<std::string, std::string>> provenance;
};

// The unfairness of a run with servers in one window.
struct UnfairWindow {
  std::uint64_t begin_ps = 0;
  std::uint64_t end_ps = 0;
  double value = 1;
};

// One variant of one point. A sample is complete if its run and those of its applications alone are ok.
struct Sample {
  std::size_t point = 0;  // place in Results::points; `run` is one in Results::runs
  std::size_t variant = 0;
  std::size_t run = 0;
  bool complete = false;
  std::vector<std::optional<double>> metrics;  // if complete, in the order of campaign.metrics
  // If complete: by application, as in application_metrics().
  std::vector<std::vector<std::optional<double>>> applications;
  std::vector<UnfairWindow> unfairness{};  // if complete: the windows that have a value
};

struct Results {
  Campaign campaign;                            // of load_kept_campaign()
  std::vector<std::string> units;               // of campaign.metrics; empty if no run has one
  std::vector<PointRecord> points;              // values that are files lack their common folder
  std::vector<CollectedRun> runs;               // each once, in the order in which points need them
  std::vector<std::vector<std::size_t>> alone;  // by point and application: the run
  std::vector<Sample> samples;                  // by point and variant

  std::map<RunState, std::size_t> states() const;  // of the runs
};

// Reads the runs that are ok, whatever other runs are in progress. Throws config::Error if there is no
// campaign, a file of a run that is ok is damaged, or none of these runs has a metric of the campaign.
Results read_results(const std::string& directory);

}  // namespace heddle
