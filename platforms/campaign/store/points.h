#pragma once
// points.json: which runs the points of a campaign are, and what these show.

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
  std::vector<std::string> runs;   // identities, by variant
  std::vector<std::string> alone;  // and by application
};

struct PointsFile {
  std::string campaign;
  std::vector<PointRecord> points;
};

void write_points(const Campaign& campaign, const RunPlan& plan, std::ostream& out);

// Of the campaign in a directory. Throws config::Error where there is none, or where the file is damaged.
PointsFile read_points(const std::string& directory);

}  // namespace heddle
