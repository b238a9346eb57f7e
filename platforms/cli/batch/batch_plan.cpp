#include "platforms/cli/batch/batch_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "models/core/config/config.h"
#include "models/stats/writers.h"
#include "platforms/campaign/backends/series_check.h"
#include "platforms/campaign/backends/time_estimate.h"
#include "platforms/campaign/plan/campaign.h"
#include "platforms/cli/batch/campaign_console.h"
#include "platforms/cli/options.h"
#include "platforms/cli/print_json.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostWhole = 50;  // most points of a table that is printed as a whole without --all
constexpr std::size_t kMostCut = 20;    // points of a table that is cut

// Whether the number of an experiment's variants can depend on a key.
bool decides_variants(const std::string& key) {
  const std::string first = key.substr(0, key.find_first_of(".["));
  return first == "experiment" || first == "platform" || first == "policy" || first == "policies" ||
         first == "compare";
}

// The number of variants of each point's experiment, which are its runs without the applications alone.
std::vector<std::size_t> runs_of(const Campaign& campaign) {
  std::map<std::string, std::size_t> counted;
  std::vector<std::size_t> runs;
  for (const CampaignPoint& point : campaign.points) {
    CampaignPoint projected;
    for (const Assignment& assignment : point.values)
      if (decides_variants(assignment.key)) projected.values.push_back(assignment);
    const std::string key = label_of(projected);
    auto found = counted.find(key);
    if (found == counted.end()) try {
        const Experiment experiment = load_experiment(experiment_of(campaign, point), overrides_of(point));
        found = counted.emplace(key, experiment.variants.size()).first;
      } catch (const config::Error& error) {
        throw config::Error({fmt::format("{}: point {}, {}: {}", campaign.file, point.number, label_of(point),
                                         error.what())});
      }
    runs.push_back(found->second);
  }
  return runs;
}

std::size_t sum(const std::vector<std::size_t>& runs) {
  std::size_t all = 0;
  for (const std::size_t each : runs) all += each;
  return all;
}

std::string value_of(const CampaignPoint& point, const std::string& key) {
  for (const Assignment& assignment : point.values)
    if (assignment.key == key) return assignment.value;
  return "–";
}

std::string states_of(const TimeEstimate& estimate) {
  std::vector<std::string> parts;
  for (const auto& [state, runs] : estimate.states)
    parts.push_back(fmt::format("{} {}", runs, name_of(state)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_estimate(const std::optional<TimeEstimate>& found, const std::string& directory,
                    std::size_t jobs) {
  if (!found) {
    std::cout << fmt::format(
        "more than {} points, or {} that differ in more than the seed: what {} has is not looked up\n",
        kMostEstimatedPoints, kMostEstimatedLoads, directory);
    return;
  }
  std::cout << fmt::format("{}, with the applications alone: {}; {} left, ", directory, states_of(*found),
                           found->left);
  if (found->seconds)
    std::cout << fmt::format("about {} with {} at a time\n", clock_text(*found->seconds), jobs);
  else
    std::cout << "no estimate: no run has finished yet\n";
}

void print_plan(const Campaign& campaign, const std::vector<std::size_t>& runs,
                const std::optional<TimeEstimate>& estimate, bool all) {
  if (!campaign.question.empty()) std::cout << campaign.question << "\n";
  const std::size_t points = campaign.points.size();
  std::cout << fmt::format("{}: {} {}, {} {} and the applications alone that they need\n\n", campaign.name,
                           points, points == 1 ? "point" : "points", sum(runs),
                           sum(runs) == 1 ? "run" : "runs");
  std::vector<Table::Column> columns{{"point", Table::Align::kRight}};
  for (const std::string& key : campaign.keys) columns.push_back({key});
  const bool has_seeds = campaign.points.front().seed.has_value();
  if (has_seeds) columns.push_back({"seed", Table::Align::kRight});
  columns.push_back({"runs", Table::Align::kRight});
  if (estimate) columns.push_back({"left", Table::Align::kRight});
  Table table(columns);
  const std::size_t shown = all || points <= kMostWhole ? points : kMostCut;
  for (std::size_t i = 0; i < shown; ++i) {
    const CampaignPoint& point = campaign.points[i];
    std::vector<std::string> cells{fmt::format("{}", point.number)};
    for (const std::string& key : campaign.keys) cells.push_back(value_of(point, key));
    if (has_seeds) cells.push_back(fmt::format("{}", *point.seed));
    cells.push_back(fmt::format("{}", runs[i]));
    if (estimate) cells.push_back(fmt::format("{}", estimate->left_of_points[i]));
    table.add_row(cells);
  }
  table.print(std::cout);
  if (shown < points) std::cout << fmt::format("and {} more points: --all prints them\n", points - shown);
}

Json to_json(const Campaign& campaign, const std::vector<std::size_t>& runs,
             const std::optional<TimeEstimate>& estimate) {
  Json plan;
  plan["schema"] = "heddle-plan-1";
  plan["campaign"] = campaign.name;
  plan["question"] = campaign.question;
  plan["experiment"] = campaign.experiment;
  plan["keys"] = campaign.keys;
  plan["metrics"] = campaign.metrics;
  plan["time_limit_ps"] = campaign.time_limit_ps ? Json(*campaign.time_limit_ps) : Json(nullptr);
  plan["memory_limit_bytes"] = campaign.memory_bytes ? Json(*campaign.memory_bytes) : Json(nullptr);
  plan["runs"] = sum(runs);
  for (const char* key : {"done", "left", "estimate_seconds"}) plan[key] = nullptr;
  if (estimate) {
    plan["done"] = Json::object();
    for (const auto& [state, count] : estimate->states) plan["done"][name_of(state)] = count;
    plan["left"] = estimate->left;
    if (estimate->seconds) plan["estimate_seconds"] = *estimate->seconds;
  }
  for (std::size_t i = 0; i < campaign.points.size(); ++i) {
    const CampaignPoint& point = campaign.points[i];
    Json values = Json::object();
    for (const Assignment& assignment : point.values) values[assignment.key] = assignment.value;
    plan["points"].push_back({{"number", point.number},
                              {"label", label_of(point)},
                              {"values", values},
                              {"seed", point.seed ? Json(*point.seed) : Json(nullptr)},
                              {"runs", runs[i]}});
  }
  return plan;
}

}  // namespace

void plan_campaign(const BatchPlanOptions& options) {
  const Campaign campaign = load_campaign(options.campaign, options.sets);
  const std::vector<std::size_t> runs = runs_of(campaign);
  check_series(campaign);
  const std::string directory = directory_of(campaign, options.directory);
  const std::size_t jobs = jobs_of(options.jobs);
  const std::optional<TimeEstimate> found = estimate(campaign, directory, jobs);
  if (found && !found->note.empty()) std::cerr << "note: " << found->note << "\n";
  if (options.json) {
    print_json(to_json(campaign, runs, found));
  } else {
    print_plan(campaign, runs, found, options.all);
    std::cout << "\n";
    print_estimate(found, directory, jobs);
  }
}

namespace {

int plan_points(const BatchPlanOptions& options) {
  plan_campaign(options);
  return 0;
}

void declare_plan(CommandLine& verb, BatchPlanOptions& options) {
  add_campaign_options(verb, options.campaign, options.sets);
  verb.add_option("--dir", options.directory, "where its results are (default: results/campaigns/NAME)");
  add_jobs_option(verb, options.jobs, "runs at a time, for the estimate (default: one per core)");
  verb.add_flag("--all", options.all, "print every point, however many");
  add_json_flag(verb, options.json, "the campaign with all its points as one JSON object");
  verb.footer("Example:\n  heddle batch plan schedulers-by-sms --set limits.time=10s");
}

const VerbRegistration kBatchPlan("batch plan", 10,
                                  "Validate a campaign; print its points and what is left, and run nothing",
                                  declare_plan, plan_points);

}  // namespace

}  // namespace heddle
