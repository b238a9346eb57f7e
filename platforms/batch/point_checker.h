#pragma once
// Whether the points of a campaign load: each value of each axis in one point at least.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/config.h"
#include "platforms/batch/axes_reader.h"
#include "platforms/batch/campaign.h"

namespace heddle {

// The point that takes these steps; `without` an axis, if it is one.
CampaignPoint point_at(const CampaignAxes& axes, const std::vector<std::size_t>& steps,
                       std::size_t without = SIZE_MAX);

// Loads the first of `points` that has a value not yet seen to load, again and again. What fails is a problem
// of the value that is to blame, or else of `base`, the campaign's experiment. Stops after 20 failures.
void check_points(const CampaignAxes& axes, const std::vector<std::uint64_t>& points,
                  const Campaign& campaign, const config::Value& base);

}  // namespace heddle
