#pragma once
// The reader of a campaign's axes. It keeps the place of each value for later error messages.

#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "platforms/campaign/plan/axes.h"

namespace heddle {

struct CampaignAxes {
  std::vector<Axis> axes;  // a value that is wrong is an empty text, and its problem is reported already
  std::vector<std::vector<std::vector<config::Value>>> places;  // of each assignment of `axes`
  std::vector<std::string> keys;      // of the axes in their order, without the seeds
  bool has_seeds = false;             // then the last axis has the seeds, and its key is "seed"
  std::vector<std::string> resolved;  // assignments that make the paths of files in the document absolute
};

// Returns the base of a campaign or of a point: a name, or the absolute path of a file. A file is searched
// beside the campaign's file (`beside`) and in the current directory. A base that is not found is a problem
// of `value`, and the result is empty. If `beside` is empty, nothing is searched and the text is returned as
// it is.
std::string find_base(const config::Value& value, const std::string& folder, const std::string& beside,
                      std::vector<std::string>& resolved);

// Reads `axes`, `seeds` and `repeats`. `experiment` is the campaign's base, on whose platform an axis of
// `partitions` must fit.
CampaignAxes read_axes(const config::Section& root, const std::string& beside, const std::string& experiment);

// Reads `exclude`, and `only` as the exclusions of all other values of its keys. Each key must be an axis's
// or seed, and each value one of that axis.
std::vector<std::vector<Assignment>> read_exclusions(const config::Section& root, CampaignAxes& axes,
                                                     const std::string& beside);

}  // namespace heddle
