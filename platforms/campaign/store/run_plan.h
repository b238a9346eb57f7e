#pragma once
// The runs that a campaign needs.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"

namespace heddle {

struct PlannedRun {
  std::string id;
  std::string label;      // the first point that needs it, and its variant or application
  std::size_t point = 0;  // place of that point in Campaign::points
  bool alone = false;     // the run is an application alone; else it is a variant
  std::size_t index = 0;  // of the application or variant
};

struct PointNames {
  std::vector<std::string> variants;      // labels
  std::vector<std::string> applications;  // in the experiment's order
  std::optional<std::size_t> prioritised;
  bool needs_targets = false;  // its variants need the instruction counts of its applications alone
  bool draws_times = false;    // its seed changes something
};

// Labels of the runs of a point.
std::string variant_run_label(const std::string& point, const PointNames& names, std::size_t variant);
std::string alone_run_label(const std::string& point, const PointNames& names, std::size_t application);

struct PointRuns {  // places in RunPlan::runs
  std::vector<std::size_t> variants;
  std::vector<std::size_t> alone;  // by application
  std::shared_ptr<const PointNames> names;
};

struct RunPlan {
  std::vector<PlannedRun> runs;  // each once, in the order in which points need them
  std::vector<PointRuns> points;
  // By point, its experiment, shared by points that differ in the seed alone. Only a limited number is kept:
  // an entry beyond it is null, and the experiment is loaded again.
  std::vector<std::shared_ptr<const Experiment>> loaded;
};

// The number of experiments that plan_runs() loads, which takes most of its time.
std::size_t loads_of(const Campaign& campaign);

// Loads the experiment of every point, each distinct set of overrides once, on `threads` threads. Throws
// config::Error with the problems of the first point that does not load.
RunPlan plan_runs(const Campaign& campaign, std::size_t threads);

// The same for some points, places in Campaign::points. The other points of the plan have no runs.
RunPlan plan_runs(const Campaign& campaign, const std::vector<std::size_t>& points, std::size_t threads);

// The same for all points, but keeps no experiment: for who asks which runs there are, and starts none.
RunPlan plan_identities(const Campaign& campaign, std::size_t threads);

// A sentence for the user if the campaign has seeds that change nothing, in some points or in all; else an
// empty text.
std::string note_of_seeds(const Campaign& campaign, const RunPlan& plan);

// The runs whose instruction counts are the targets of a run; empty if it has no targets.
std::vector<const PlannedRun*> needs_of(const RunPlan& plan, const PlannedRun& run);

// The experiment of one variant that a run simulates. Its targets are not set.
Experiment inputs_of(const Campaign& campaign, const RunPlan& plan, const PlannedRun& run);

}  // namespace heddle
