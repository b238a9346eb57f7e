#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "models/stats/writers.h"
#include "platforms/campaign/results/status.h"
#include "platforms/cli/options.h"
#include "platforms/cli/print_json.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchStatusOptions {
  std::string directory;
  bool json = false;
};

void declare_batch_status(CommandLine& verb, BatchStatusOptions& options) {
  add_results_option(verb, options.directory);
  add_json_flag(verb, options.json, "one JSON object and nothing else");
}

nlohmann::ordered_json counts_json(const CampaignStatus::Counts& counts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [state, runs] : counts) json[name_of(state)] = runs;
  return json;
}

nlohmann::ordered_json status_json(const CampaignStatus& status) {
  using List = nlohmann::ordered_json;
  nlohmann::ordered_json json{{"schema", "heddle-status-1"},
                              {"campaign", status.campaign},
                              {"points", status.points},
                              {"runs", status.runs},
                              {"states", counts_json(status.states)},
                              {"axes", List::array()},
                              {"failures", List::array()},
                              {"tasks", List::array()}};
  for (const CampaignStatus::AxisValue& axis : status.values)
    json["axes"].push_back({{"key", axis.key}, {"value", axis.value}, {"states", counts_json(axis.states)}});
  for (const CampaignStatus::Failure& failure : status.failures)
    json["failures"].push_back({{"id", failure.id},
                                {"label", failure.label},
                                {"state", name_of(failure.state)},
                                {"log", failure.log},
                                {"directory", failure.directory}});
  for (const auto& [log, line] : status.tasks) json["tasks"].push_back({{"file", log}, {"log", line}});
  return json;
}

// A row of the table: the counts of every state that a run of the campaign has.
std::vector<std::string> status_row(const std::string& title, const CampaignStatus::Counts& counts,
                                    const CampaignStatus& status) {
  std::vector<std::string> row{title};
  for (const auto& [state, all] : status.states) {
    const auto found = counts.find(state);
    row.push_back(found == counts.end() ? "0" : fmt::format("{}", found->second));
  }
  return row;
}

void print_status(const CampaignStatus& status, std::ostream& out) {
  out << fmt::format("{}: {} points, {} runs\n\n", status.campaign, status.points, status.runs);
  std::vector<Table::Column> columns{{"runs"}};
  for (const auto& [state, runs] : status.states) columns.push_back({name_of(state), Table::Align::kRight});
  Table table(columns);
  table.add_row(status_row("all", status.states, status));
  for (const CampaignStatus::AxisValue& axis : status.values)
    table.add_row(status_row(fmt::format("{}={}", axis.key, axis.value), axis.states, status));
  table.print(out);
  if (!status.failures.empty()) out << "\n";
  for (const CampaignStatus::Failure& failure : status.failures)
    out << fmt::format("{}: {}: {}\n  {}\n", failure.label, name_of(failure.state), failure.log,
                       failure.directory);
  if (!status.tasks.empty()) out << "\ntasks that did not come to their end\n";
  for (const auto& [log, line] : status.tasks) out << fmt::format("{}\n  {}\n", line, log);
}

int show_status(const BatchStatusOptions& options) {
  const CampaignStatus status = read_status(options.directory);
  if (options.json)
    print_json(status_json(status));
  else
    print_status(status, std::cout);
  return 0;
}

const VerbRegistration kBatchStatus("batch status", 50, "Print how far a campaign is, and what failed",
                                    declare_batch_status, show_status);

}  // namespace

}  // namespace heddle
