#pragma once
// The axes of a campaign as read, with where each value stands.

#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "platforms/campaign/plan/axes.h"

namespace heddle {

struct CampaignAxes {
  std::vector<Axis> axes;                                       // an empty value has a problem already
  std::vector<std::vector<std::vector<config::Value>>> places;  // of each assignment of `axes`
  std::vector<std::string> keys;                                // of all axes but the seeds, in order
  bool has_seeds = false;                                       // the last axis is theirs, its key "seed"
  std::vector<std::string> resolved;  // assignments to the document that make its files' paths absolute
};

// The base of a campaign or of a point: its name, or its file's absolute path. A file lies beside the
// campaign's (`beside`) or where the user stands. What is not found is a problem of `value`, and empty. With
// `beside` empty nothing is looked for: the text is what it is.
std::string find_base(const config::Value& value, const std::string& folder, const std::string& beside,
                      std::vector<std::string>& resolved);

// Reads `axes`, `seeds` and `repeats`. experiment: the campaign's base; `partitions` are what fits its
// platform.
CampaignAxes read_axes(const config::Section& root, const std::string& beside, const std::string& experiment);

// Reads `exclude`: each entry's keys must be those of axes (or seed), each value one of theirs.
std::vector<std::vector<Assignment>> read_exclusions(const config::Section& root, CampaignAxes& axes,
                                                     const std::string& beside);

}  // namespace heddle
