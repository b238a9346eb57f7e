#pragma once
// These functions check that the points of a campaign load, with each value of each axis in one point at
// least.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "platforms/campaign/plan/axes_reader.h"
#include "platforms/campaign/plan/campaign.h"

namespace heddle {

constexpr std::size_t kLeftOut = SIZE_MAX;  // instead of a step: the axis sets nothing

CampaignPoint point_at(const CampaignAxes& axes, const std::vector<std::size_t>& steps);

// Repeats until every value has loaded or is known to be wrong: it loads the first of `points` that has a
// value not yet loaded, without the values that are known to be wrong. A failure is a problem of the value
// that causes it, or else of `base`, the campaign's experiment. The check stops after 20 failures or 5,000
// points; a problem of the other points is reported without its place when runs are planned. Seeds count as
// right, and empty values as wrong.
void check_points(const CampaignAxes& axes, const std::vector<std::uint64_t>& points,
                  const Campaign& campaign, const config::Value& base);

}  // namespace heddle
