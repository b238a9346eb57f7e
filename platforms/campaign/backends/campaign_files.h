#pragma once
// The files of a campaign's directory that a backend writes before it runs anything.

#include <string>

#include "platforms/campaign/plan/campaign.h"
#include "platforms/campaign/store/run_plan.h"

namespace heddle {

// Writes campaign.yaml, points.json and `task`, the script that both backends share: it resumes the campaign
// here, or runs one chunk of a submission. Throws OutputError.
void write_campaign(const Campaign& campaign, const RunPlan& plan, const std::string& directory);

}  // namespace heddle
