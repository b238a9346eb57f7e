#pragma once
// Which runs a campaign needs.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"

namespace heddle {

struct PlannedRun {
  std::string id;
  std::string label;      // the point that needs it first, and what it runs
  std::size_t point = 0;  // that point
  bool alone = false;     // an application alone; else a variant
  std::size_t index = 0;  // which
};

struct PointNames {
  std::vector<std::string> variants;      // labels
  std::vector<std::string> applications;  // in the experiment's order
  std::optional<std::size_t> prioritised;
  bool needs_targets = false;  // its variants cannot start before its applications alone have ended
};

// What a run is called that a point needs first.
std::string variant_run_label(const std::string& point, const PointNames& names, std::size_t variant);
std::string alone_run_label(const std::string& point, const PointNames& names, std::size_t application);

struct PointRuns {  // places in RunPlan::runs
  std::vector<std::size_t> variants;
  std::vector<std::size_t> alone;  // by application
  std::shared_ptr<const PointNames> names;
};

struct RunPlan {
  std::vector<PlannedRun> runs;  // none twice, in the order in which points need them
  std::vector<PointRuns> points;
  // By point, what was loaded for it, shared by points that differ in the seed alone; null beyond the number
  // that is kept: those are loaded again.
  std::vector<std::shared_ptr<const Experiment>> loaded;
};

// How many experiments plan_runs() loads: the dear part of it.
std::size_t loads_of(const Campaign& campaign);

// Loads the experiment of every point, each distinct set of overrides once, by so many threads. Throws
// config::Error with the first point's problems.
RunPlan plan_runs(const Campaign& campaign, std::size_t threads);

// The same of these points alone, places in Campaign::points: the others need no run.
RunPlan plan_runs(const Campaign& campaign, const std::vector<std::size_t>& points, std::size_t threads);

// The runs that a run takes its targets from; empty: it takes none.
std::vector<const PlannedRun*> needs_of(const RunPlan& plan, const PlannedRun& run);

// What a run runs: one variant, as its own experiment. Targets are not known.
Experiment inputs_of(const Campaign& campaign, const RunPlan& plan, const PlannedRun& run);

}  // namespace heddle
