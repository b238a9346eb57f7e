#pragma once
// Whether the points of a campaign load: each value of each axis in one point at least.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "platforms/campaign/plan/axes_reader.h"
#include "platforms/campaign/plan/campaign.h"

namespace heddle {

constexpr std::size_t kLeftOut = SIZE_MAX;  // in the place of a step: the axis sets nothing

CampaignPoint point_at(const CampaignAxes& axes, const std::vector<std::size_t>& steps);

// Loads the first of `points` that has a value not yet seen to load, again and again, without the values
// that are known to be wrong. What fails is a problem of the value that is to blame, or else of `base`, the
// campaign's experiment. Stops after 20 failures, and after 5,000 points: what is wrong with the rest is told
// when runs are planned, without its place. Seeds are right as read, empty values wrong.
void check_points(const CampaignAxes& axes, const std::vector<std::uint64_t>& points,
                  const Campaign& campaign, const config::Value& base);

}  // namespace heddle
