#pragma once
// How far a campaign is: its runs by state, and what failed.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platforms/campaign/store/run_store.h"

namespace heddle {

struct CampaignStatus {
  using Counts = std::map<RunState, std::uint64_t>;

  struct AxisValue {
    std::string key;
    std::string value;
    Counts states;  // of the runs that a point with this value needs, each run once
  };

  struct Failure {
    std::string id;
    std::string label;  // of the first point that needs the run
    RunState state = RunState::kFailed;
    std::string log;  // the last line of the run's log, or the reason of its end
    std::string directory;
  };

  std::string campaign;
  std::size_t points = 0;
  std::size_t runs = 0;
  Counts states;                             // each run once
  std::vector<AxisValue> values;             // axis by axis, each axis in the order of the points
  std::vector<Failure> failures;             // in the order of the points
  std::map<std::string, std::string> tasks;  // Slurm tasks that broke off: log file, its last line
};

// Reads the directory of a campaign, whatever is in progress there. Throws config::Error if there is no
// campaign or points.json is damaged.
CampaignStatus read_status(const std::string& directory);

}  // namespace heddle
