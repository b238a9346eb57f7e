#pragma once
// The file points.json of a campaign's directory: the runs that each point needs.

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"
#include "platforms/campaign/store/run_plan.h"

namespace heddle {

struct PointRecord {
  std::string label;
  CampaignPoint point;
  PointNames names;
  std::vector<std::string> runs;   // identity by variant
  std::vector<std::string> alone;  // identity by application, of its run alone
};

struct PointsFile {
  std::string campaign;
  std::vector<PointRecord> points;
};

void write_points(const Campaign& campaign, const RunPlan& plan, std::ostream& out);

// Reads the file in a campaign's directory. Throws config::Error if there is none or it is damaged.
PointsFile read_points(const std::string& directory);

}  // namespace heddle
