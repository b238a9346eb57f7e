#pragma once
// What the verbs that run a campaign share.

#include <string>
#include <vector>

#include "platforms/campaign/backends/campaign_driver.h"
#include "platforms/campaign/store/run_plan.h"
#include "platforms/campaign/store/run_store.h"

namespace heddle {


// campaign.yaml, points.json and the task script.
void write_campaign(const Campaign& campaign, const RunPlan& plan, const std::string& directory);

// The runs to do, in the plan's order.
std::vector<const PlannedRun*> due_runs(const RunPlan& plan, const RunStore& store, bool resume);

// work_through(), or what is said of an end before the end: kExitInterrupted then, else 0.
int work(const Campaign& campaign, const RunPlan& plan, const std::vector<const PlannedRun*>& runs,
         const RunStore& store, const BatchOptions& options);

}  // namespace heddle
