#include "platforms/campaign/store/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <numeric>
#include <thread>
#include <unordered_map>
#include <utility>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "platforms/campaign/store/run_id.h"
#include "platforms/experiment/loaded_inputs.h"
#include "platforms/run/plugins.h"

namespace heddle {

namespace {

constexpr const char* kOnlyRun = "base";  // as a point without values is named; see label_of()
constexpr std::size_t kMostKept = 1024;   // experiments in memory, about 100 KB each

constexpr std::size_t kMostOfOneLoad =
    64;  // points of one load, so that threads share points that load the same

// Points whose experiments differ in the seed alone.
struct Load {
  std::vector<std::size_t> points;
  std::shared_ptr<const Experiment> experiment;
  std::exception_ptr problem;
};

std::vector<std::size_t> all_points(const Campaign& campaign) {
  std::vector<std::size_t> all(campaign.points.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<Load> distinct_loads(const Campaign& campaign, const std::vector<std::size_t>& points) {
  std::map<std::pair<std::string, Overrides>, std::size_t> known;
  std::vector<Load> loads;
  for (const std::size_t i : points) {
    Overrides overrides = overrides_of(campaign.points[i]);
    if (overrides.seed) overrides.seed = 0;
    const auto [place, is_new] = known.emplace(
        std::pair(experiment_of(campaign, campaign.points[i]), std::move(overrides)), loads.size());
    if (!is_new && loads[place->second].points.size() == kMostOfOneLoad) place->second = loads.size();
    if (place->second == loads.size()) loads.emplace_back();
    loads[place->second].points.push_back(i);
  }
  return loads;
}

// Returns the experiment of a point from that of another point that differs in the seed alone.
Experiment with_seed(Experiment experiment, const CampaignPoint& point) {
  if (point.seed) experiment.seed = *point.seed;
  return experiment;
}

Experiment load_point(const Campaign& campaign, std::size_t point, LoadedInputs* loaded) {
  LoadOptions options;
  options.trust = campaign.trusted;
  options.loaded = loaded;
  options.cache = user_cache_folder();
  try {
    return load_experiment(experiment_of(campaign, campaign.points[point]),
                           overrides_of(campaign.points[point]), options);
  } catch (const config::Error& error) {
    std::vector<std::string> problems = error.problems();
    problems.front() = fmt::format("{}: {}", label_of(campaign.points[point]), problems.front());
    throw config::Error(problems);
  }
}

struct PointIdentities {
  std::vector<std::string> variants;
  std::vector<std::string> alone;
  std::shared_ptr<const PointNames> names;  // shared by points that differ in the seed alone
};

std::shared_ptr<const PointNames> names_of(const Experiment& experiment) {
  auto names = std::make_shared<PointNames>();
  // The values of the point name what its axes change, so that the only run of each point has the same name.
  const bool is_named_by_point = experiment.variants.size() == 1 && experiment.labels.front().empty();
  for (std::size_t i = 0; i < experiment.variants.size(); ++i)
    names->variants.push_back(is_named_by_point ? kOnlyRun : variant_label(experiment, i));
  for (const ExperimentApplication& use : experiment.applications)
    names->applications.push_back(use.application.program.name);
  names->prioritised = experiment.prioritised;
  names->needs_targets = needs_targets(experiment);
  names->draws_times = draws_times(experiment);
  return names;
}

PointIdentities identify(const Experiment& experiment, RunIds& ids) {
  PointIdentities point;
  for (std::size_t i = 0; i < experiment.variants.size(); ++i)
    point.variants.push_back(ids.of(variant_run(experiment, i)));
  for (std::size_t i = 0; i < experiment.applications.size(); ++i)
    point.alone.push_back(ids.of(alone_run(experiment, i)));
  return point;
}

void identify_all(const Campaign& campaign, Load& load, bool keep, LoadedInputs& loaded, RunIds& ids,
                  std::vector<PointIdentities>& points) {
  try {
    auto experiment = std::make_shared<const Experiment>(load_point(campaign, load.points.front(), &loaded));
    const std::shared_ptr<const PointNames> names = names_of(*experiment);
    for (const std::size_t point : load.points) {
      points[point] = identify(with_seed(*experiment, campaign.points[point]), ids);
      points[point].names = names;
    }
    if (keep) load.experiment = std::move(experiment);
  } catch (...) {
    load.problem = std::current_exception();
  }
}

// Adds the runs of points to a plan, each run once.
class Collector {
 public:
  explicit Collector(RunPlan& plan) : plan_(plan) {}

  void add(const Campaign& campaign, std::size_t point, const PointIdentities& found) {
    const std::string label = label_of(campaign.points[point]);
    PointRuns runs;
    runs.names = found.names;
    for (std::size_t i = 0; i < found.variants.size(); ++i)
      runs.variants.push_back(
          place_of({found.variants[i], variant_run_label(label, *found.names, i), point, false, i}));
    for (std::size_t i = 0; i < found.alone.size(); ++i)
      runs.alone.push_back(
          place_of({found.alone[i], alone_run_label(label, *found.names, i), point, true, i}));
    plan_.points.push_back(std::move(runs));
  }

 private:
  std::size_t place_of(PlannedRun run) {
    const auto [known, is_new] = places_.emplace(run.id, plan_.runs.size());
    if (is_new) plan_.runs.push_back(std::move(run));
    return known->second;
  }

  RunPlan& plan_;
  std::unordered_map<std::string, std::size_t> places_;
};

// Keeps at most `most_kept` experiments.
RunPlan plan_runs(const Campaign& campaign, const std::vector<std::size_t>& points, std::size_t threads,
                  std::size_t most_kept) {
  std::vector<Load> loads = distinct_loads(campaign, points);
  std::vector<PointIdentities> found(campaign.points.size());
  RunIds ids(simulator_id(), campaign.series);
  LoadedInputs loaded;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    for (std::size_t i; !failed && (i = next++) < loads.size();) {
      identify_all(campaign, loads[i], i < most_kept, loaded, ids, found);
      if (loads[i].problem) failed = true;
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min(threads, loads.size()); ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();

  RunPlan plan;
  plan.loaded.resize(campaign.points.size());
  for (const Load& load : loads) {
    if (load.problem) std::rethrow_exception(load.problem);
    for (const std::size_t point : load.points) plan.loaded[point] = load.experiment;
  }
  Collector collector(plan);
  for (std::size_t point = 0; point < found.size(); ++point) collector.add(campaign, point, found[point]);
  return plan;
}

}  // namespace

std::string variant_run_label(const std::string& point, const PointNames& names, std::size_t variant) {
  return fmt::format("{}, {}", point, names.variants[variant]);
}

std::string alone_run_label(const std::string& point, const PointNames& names, std::size_t application) {
  return fmt::format("{}, {} alone", point, names.applications[application]);
}

std::size_t loads_of(const Campaign& campaign) {
  return distinct_loads(campaign, all_points(campaign)).size();
}

RunPlan plan_runs(const Campaign& campaign, std::size_t threads) {
  return plan_runs(campaign, all_points(campaign), threads);
}

RunPlan plan_runs(const Campaign& campaign, const std::vector<std::size_t>& points, std::size_t threads) {
  return plan_runs(campaign, points, threads, kMostKept);
}

RunPlan plan_identities(const Campaign& campaign, std::size_t threads) {
  return plan_runs(campaign, all_points(campaign), threads, 0);
}

std::string note_of_seeds(const Campaign& campaign, const RunPlan& plan) {
  std::size_t seeded = 0;
  std::size_t idle = 0;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (!campaign.points[i].seed || !plan.points[i].names) continue;
    ++seeded;
    idle += plan.points[i].names->draws_times ? 0 : 1;
  }
  if (idle == 0) return "";
  const std::string where = idle == seeded ? "" : fmt::format(" in {} of {} points", idle, seeded);
  return fmt::format("the seeds change nothing{}: {}", where, kWhatSeedsDraw);
}

std::vector<const PlannedRun*> needs_of(const RunPlan& plan, const PlannedRun& run) {
  const PointRuns& point = plan.points[run.point];
  std::vector<const PlannedRun*> needs;
  if (!run.alone && point.names->needs_targets)
    for (const std::size_t alone : point.alone) needs.push_back(&plan.runs[alone]);
  return needs;
}

Experiment inputs_of(const Campaign& campaign, const RunPlan& plan, const PlannedRun& run) {
  const std::shared_ptr<const Experiment>& loaded = plan.loaded[run.point];
  const Experiment experiment =
      with_seed(loaded ? *loaded : load_point(campaign, run.point, nullptr), campaign.points[run.point]);
  return run.alone ? alone_run(experiment, run.index) : variant_run(experiment, run.index);
}

}  // namespace heddle
