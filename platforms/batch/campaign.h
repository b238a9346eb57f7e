#pragma once
// A campaign: many runs of one experiment.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/experiment.h"

namespace heddle {

struct Assignment {
  std::string key;
  std::string value;
};

struct CampaignPoint {
  std::uint64_t number = 0;
  std::vector<Assignment> values;
  std::optional<std::uint64_t> seed;
};

struct PlotSpec {};

struct Campaign {
  std::string name;
  std::string question;
  std::string file;
  std::string experiment;
  std::vector<std::string> keys;      // of the axes, in order
  std::vector<CampaignPoint> points;  // exclusions applied
  std::optional<std::uint64_t> time_limit_ps;
  std::optional<std::uint64_t> memory_bytes;
  std::vector<std::string> metrics;
  std::vector<PlotSpec> plots;
  std::string yaml;
};

inline std::string experiment_of(const Campaign& campaign, const CampaignPoint& point) {
  for (const Assignment& value : point.values)
    if (value.key == "experiment") return value.value;
  return campaign.experiment;
}

inline ExperimentOverrides overrides_of(const CampaignPoint& point) {
  ExperimentOverrides overrides;
  for (const Assignment& value : point.values) {
    if (value.key == "platform")
      overrides.platform = value.value;
    else if (value.key.rfind("policy.", 0) == 0)
      overrides.policies.push_back(value.key.substr(7) + "=" + value.value);
    else if (value.key != "experiment")
      overrides.sets.push_back(value.key + "=" + value.value);
  }
  overrides.seed = point.seed;
  return overrides;
}

inline std::string label_of(const CampaignPoint& point) {
  std::string label;
  for (const Assignment& value : point.values)
    label += (label.empty() ? "" : " ") + value.key + "=" + value.value;
  if (point.seed) label += (label.empty() ? "" : " ") + ("seed=" + std::to_string(*point.seed));
  return label;
}

}  // namespace heddle
