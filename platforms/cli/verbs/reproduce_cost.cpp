#include "platforms/cli/verbs/reproduce_cost.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <vector>

#include "models/stats/writers.h"
#include "platforms/campaign/backends/time_estimate.h"
#include "platforms/cli/batch/campaign_console.h"

namespace heddle {

namespace {

constexpr double kCyclesOfRunTime = 1e6;

struct CampaignCost {
  const Campaign* campaign = nullptr;
  std::optional<TimeEstimate> there;  // none for a campaign with too many points
  std::size_t runs = 0;
  std::optional<double> seconds_of_run;
};

// Returns the cycles of the runs' windows in the mean over the points, or nothing if points have no window.
std::optional<double> window_of(const Campaign& campaign) {
  double sum = 0;
  for (const CampaignPoint& point : campaign.points) {
    double window = 0;
    for (const Assignment& assignment : point.values)
      if (assignment.key == "window")
        window = std::strtod(assignment.value.c_str(), nullptr);  // "2000000cycles"
    if (window == 0) return std::nullopt;
    sum += window;
  }
  return sum / static_cast<double>(campaign.points.size());
}

std::optional<double> known_rate(const Paper& paper, const Campaign& campaign) {
  if (!paper.run_seconds || !paper.has_window) return paper.run_seconds;
  const std::optional<double> window = window_of(campaign);
  return window ? std::optional(*paper.run_seconds * *window / kCyclesOfRunTime) : std::nullopt;
}

// Returns the mean time of the runs that are there, over all campaigns.
std::optional<double> mean_rate(const std::vector<CampaignCost>& costs) {
  double seconds = 0;
  double runs = 0;
  for (const CampaignCost& cost : costs) {
    if (!cost.there || !cost.there->seconds_of_run) continue;
    const auto ok = static_cast<double>(cost.there->states.at(RunState::kOk));
    seconds += ok * *cost.there->seconds_of_run;
    runs += ok;
  }
  return runs == 0 ? std::nullopt : std::optional(seconds / runs);
}

std::vector<CampaignCost> costs_of(const Paper& paper, const std::string& directory, std::size_t jobs) {
  std::vector<CampaignCost> costs;
  for (const Campaign& campaign : paper.campaigns) {
    CampaignCost cost;
    cost.campaign = &campaign;
    cost.there = estimate(campaign, directory + "/" + campaign.name, jobs);
    if (cost.there)
      for (const auto& [state, runs] : cost.there->states) cost.runs += runs;
    costs.push_back(cost);
  }
  const std::optional<double> mean = mean_rate(costs);
  for (CampaignCost& cost : costs) {
    if (cost.there) cost.seconds_of_run = cost.there->seconds_of_run;
    if (!cost.seconds_of_run) cost.seconds_of_run = mean;
    if (!cost.seconds_of_run) cost.seconds_of_run = known_rate(paper, *cost.campaign);
  }
  return costs;
}

struct Total {
  std::size_t left = 0;
  double seconds = 0;
  bool counts_are_known = true;
  bool time_is_known = true;
};

Total print_campaigns(const std::vector<CampaignCost>& costs, std::size_t jobs) {
  constexpr Table::Align kRight = Table::Align::kRight;
  Table table({{"campaign"},
               {"points", kRight},
               {"runs", kRight},
               {"there", kRight},
               {"left", kRight},
               {"time left", kRight}});
  Total total;
  for (const CampaignCost& cost : costs) {
    const std::string points = fmt::format("{}", cost.campaign->points.size());
    if (!cost.there) {
      total.counts_are_known = false;
      table.add_row({cost.campaign->name, points, "–", "–", "–", "–"});
      continue;
    }
    const std::size_t left = cost.there->left;
    const bool is_known = left == 0 || cost.seconds_of_run;
    const double seconds =
        cost.seconds_of_run.value_or(0) * static_cast<double>(left) / static_cast<double>(jobs);
    total.left += left;
    total.seconds += seconds;
    total.time_is_known = total.time_is_known && is_known;
    table.add_row({cost.campaign->name, points, fmt::format("{}", cost.runs),
                   fmt::format("{}", cost.runs - left), fmt::format("{}", left),
                   is_known ? clock_text(seconds) : "–"});
  }
  table.print(std::cout);
  return total;
}

void print_left_out(const Paper& paper) {
  if (paper.left_out.empty()) return;
  std::cout << "The short form leaves out what is not named here:\n";
  if (paper.window != 0) std::cout << fmt::format("  runs of {} cycles\n", paper.window);
  for (const std::string& line : paper.left_out) std::cout << "  " << line << "\n";
}

}  // namespace

void print_cost(const Paper& paper, const std::string& directory, std::size_t jobs) {
  std::cout << fmt::format("{}: {}\n", paper.name, paper.title);
  print_left_out(paper);
  const std::vector<CampaignCost> costs = costs_of(paper, directory, jobs);
  const Total total = print_campaigns(costs, jobs);
  if (!total.counts_are_known)
    std::cout << "A campaign has too many points to look up what is there.\n";
  else if (total.left == 0)
    std::cout << "Every run is there.\n";
  else if (!total.time_is_known)
    std::cout << fmt::format(
        "{} runs are left. How long they take is known when the first ones have ended.\n", total.left);
  else
    std::cout << fmt::format("{} runs are left, about {} with {} at a time, by {}.\n", total.left,
                             clock_text(total.seconds), jobs,
                             mean_rate(costs) ? "the runs that are there" : "what its file states");
  std::cout << std::endl;
}

}  // namespace heddle
