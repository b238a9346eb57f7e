#pragma once
// What the runs of a campaign show, read from its directory.

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
  std::string label;  // the point that needs it first, and what it runs
  bool alone = false;
  RunRecord record;
  bool is_kept = false;  // it has a directory
  std::vector<std::pair<std::string, std::string>> provenance;
};

// One variant of one point. It is complete if its run and those of its applications alone are ok.
struct Sample {
  std::size_t point = 0;  // places in Results
  std::size_t variant = 0;
  std::size_t run = 0;
  bool complete = false;
  // Of a complete one.
  std::vector<std::optional<double>> metrics;     // as in campaign.metrics
  std::vector<std::vector<double>> applications;  // by application, as in application_metrics()
};

struct Results {
  Campaign campaign;                            // of load_kept_campaign()
  std::vector<std::string> units;               // of campaign.metrics; empty where no run tells
  std::vector<PointRecord> points;              // files among their values without what leads to them
  std::vector<CollectedRun> runs;               // none twice, in the order in which points need them
  std::vector<std::vector<std::size_t>> alone;  // by point and application: the run
  std::vector<Sample> samples;                  // by point and variant

  std::map<RunState, std::size_t> states() const;  // of the runs
};

// What has ended well is read, whatever else goes on in the directory. Throws config::Error: no campaign
// there, a damaged file of a run that ended well, a metric that none of these has.
Results read_results(const std::string& directory);

}  // namespace heddle
