#pragma once
// The check of a campaign's series before anything runs.

#include "platforms/campaign/plan/campaign.h"

namespace heddle {

// Throws config::Error if a pattern that the campaign names matches no statistic of any of its machines. It
// makes machines until each pattern has matched, of points that together have each value of each axis.
void check_series(const Campaign& campaign);

}  // namespace heddle
