#include "platforms/run/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "models/stats/metrics.h"
#include "models/stats/writers.h"
#include "policies/sm_partitioner/partition_decision.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

std::string ms(const Json& ps) {
  return fmt::format("{:.3f}", ps.get<double>() / 1e9);
}
std::string ratio(const Json& value) {
  return value.is_null() ? "–" : fmt::format("{:.3f}", value.get<double>());
}

Json summarise_run(const Experiment& experiment, std::size_t variant, const Json& data,
                   const std::vector<std::uint64_t>& alone_ps) {
  Json run;
  run["label"] = variant_label(experiment, variant);
  for (const auto& [decision, choice] : experiment.variants[variant]) {
    run["policies"][decision]["name"] = choice.name;
    for (const auto& [parameter, value] : choice.parameters)
      run["policies"][decision][parameter] = value.is_lists() ? Json(value.lists()) : Json(value.number());
  }
  run.update(measures(data, alone_ps, experiment.prioritised));
  return run;
}

// Instructions, and where the cycles of all SMs went, in per cent.
void print_sm_cycles(const Json& runs, std::ostream& out) {
  std::vector<Table::Column> columns{{"policies"},
                                     {"cycles", Table::Align::kRight},
                                     {"warp instructions", Table::Align::kRight},
                                     {"per cycle", Table::Align::kRight}};
  for (const auto& [bucket, cycles] : runs.front()["sm_cycles"].items()) {
    std::string title = bucket;
    std::replace(title.begin(), title.end(), '_', ' ');
    columns.push_back({title + " %", Table::Align::kRight});
  }
  Table table(columns);
  for (const Json& run : runs) {
    double all = 0;
    for (const auto& [bucket, cycles] : run["sm_cycles"].items()) all += cycles.get<double>();
    std::vector<std::string> cells{
        run["label"], fmt::format("{}", run["cycles"].get<std::uint64_t>()),
        fmt::format("{}", run["warp_instructions"].get<std::uint64_t>()),
        fmt::format("{:.2f}", run["warp_instructions"].get<double>() / run["cycles"].get<double>())};
    for (const auto& [bucket, cycles] : run["sm_cycles"].items())
      cells.push_back(all == 0 ? "–" : fmt::format("{:.1f}", 100 * cycles.get<double>() / all));
    table.add_row(cells);
  }
  out << "\nSM cycles, over all SMs\n";
  table.print(out);
}

// What only cycle SMs tell.
void measure_sms(const Json& data, Json& run) {
  for (const char* key : {"icnt_hz", "l2_hz", "dram_hz", "sm_cycles"}) run[key] = data.at(key);
  double all = 0;
  for (const Json& cycles : data["sm_cycles"]) all += cycles.get<double>();
  for (const auto& [bucket, cycles] : data["sm_cycles"].items())
    run["share_of"][bucket] = all == 0 ? Json(nullptr) : Json(cycles.get<double>() / all);
  run["stalled_cycles"] =
      all - data["sm_cycles"].at("active").get<double>() - data["sm_cycles"].at("no_warp").get<double>();
  const auto cycles = data.at("cycles").get<double>();
  run["ipc"] = cycles == 0 ? Json(nullptr) : Json(data.at("warp_instructions").get<double>() / cycles);
  for (const char* key : {"utilisation", "l1_miss_rate", "l2_miss_rate", "l2_mpki"}) run[key] = data.at(key);
}

// The share of `cycles`, core cycles, from the start of a profile to what follows from it.
double profiled(const Json& decisions, std::uint64_t cycles) {
  std::uint64_t sum = 0;
  std::uint64_t since = 0;
  bool is_profile = false;
  for (const Json& decision : decisions) {
    const auto at = decision.at("cycle").get<std::uint64_t>();
    if (is_profile) sum += at - since;
    is_profile = decision.at("kind") == name_of(PartitionDecision::Kind::kProfile);
    since = at;
  }
  if (is_profile) sum += cycles - std::min(cycles, since);
  return cycles == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(cycles);
}

}  // namespace

Json measures(const Json& data, const std::vector<std::uint64_t>& alone_ps,
              std::optional<std::size_t> prioritised) {
  Json run;
  for (const char* key : {"simulated_ps", "cycles", "warp_instructions", "core_hz", "pcie_hz"})
    run[key] = data.at(key);
  if (data.contains("sm_cycles")) measure_sms(data, run);

  for (const char* key : {"decisions", "quotas"})  // of a partitioner that profiles
    if (data.contains(key)) run[key] = data[key];
  if (data.contains("decisions"))
    run["profiled"] = profiled(data["decisions"], data.at("cycles").get<std::uint64_t>());
  const Json& applications = data.at("applications");
  std::vector<double> together;
  std::vector<double> alone;
  std::uint64_t completions = 0;
  for (std::size_t i = 0; i < alone_ps.size(); ++i) {
    together.push_back(applications.at(i).at("turnaround_ps").get<double>());
    alone.push_back(static_cast<double>(alone_ps[i]));
    completions += applications[i].at("completions").get<std::uint64_t>();
  }
  const Multiprogram metrics = multiprogram(together, alone);
  run["antt"] = metrics.antt;
  run["stp"] = metrics.stp;
  run["fairness"] = metrics.fairness;
  run["minimum_speedup"] = metrics.minimum_speedup;
  run["harmonic_speedup"] = metrics.harmonic_speedup;
  run["completions_per_second"] =
      static_cast<double>(completions) / (data["simulated_ps"].get<double>() * 1e-12);
  run["occupancy"] = data.at("occupancy");
  run["fill"] = data.at("fill");
  run["prioritised_turnaround_ps"] =
      prioritised ? applications.at(*prioritised).at("turnaround_ps") : Json(nullptr);
  for (std::size_t i = 0; i < metrics.ntt.size(); ++i) {
    Json application = applications[i];
    application["ntt"] = metrics.ntt[i];
    run["applications"].push_back(application);
  }
  return run;
}

Json summarise(const Experiment& experiment, const std::vector<Json>& runs,
               const std::vector<std::uint64_t>& alone_ps) {
  Json summary;
  summary["schema"] = "heddle-summary-1";
  summary["experiment"] = experiment.name;
  summary["question"] = experiment.question;
  summary["platform"] = experiment.platform.name;
  summary["mix"] = experiment.mix;
  summary["seed"] = experiment.seed;
  summary["prioritised"] =
      experiment.prioritised ? Json(experiment.applications[*experiment.prioritised].application.program.name)
                             : Json(nullptr);
  for (std::size_t i = 0; i < alone_ps.size(); ++i)
    summary["alone"].push_back({{"application", experiment.applications[i].application.program.name},
                                {"turnaround_ps", alone_ps[i]}});
  for (std::size_t variant = 0; variant < runs.size(); ++variant)
    summary["runs"].push_back(summarise_run(experiment, variant, runs[variant], alone_ps));
  if (runs.size() == 1)
    for (const char* key : {"cycles", "warp_instructions"}) summary[key] = runs.front()[key];
  return summary;
}

void print_summary(const Json& summary, std::ostream& out) {
  const Json& runs = summary["runs"];
  if (const std::string question = summary["question"]; !question.empty()) out << question << "\n";
  out << summary["platform"].get<std::string>();
  if (const std::string mix = summary["mix"]; !mix.empty()) out << ", " << mix;
  out << "\n\nNormalised turnaround time (NTT): together / alone, lower is better\n";
  std::vector<Table::Column> columns{{"application"}, {"alone (ms)", Table::Align::kRight}};
  for (const Json& run : runs) columns.push_back({run["label"], Table::Align::kRight});
  Table ntt(columns);
  for (std::size_t i = 0; i < summary["alone"].size(); ++i) {
    std::string name = summary["alone"][i]["application"];
    if (name == summary["prioritised"]) name += " *";
    std::vector<std::string> cells{name, ms(summary["alone"][i]["turnaround_ps"])};
    for (const Json& run : runs) cells.push_back(ratio(run["applications"][i]["ntt"]));
    ntt.add_row(cells);
  }
  ntt.print(out);
  if (!summary["prioritised"].is_null()) out << "* prioritised\n";

  out << "\n";
  Table metrics({{"policies"},
                 {"ANTT", Table::Align::kRight},
                 {"STP", Table::Align::kRight},
                 {"fairness", Table::Align::kRight},
                 {"occupancy", Table::Align::kRight},
                 {"fill", Table::Align::kRight},
                 {"prioritised (ms)", Table::Align::kRight},
                 {"simulated (ms)", Table::Align::kRight}});
  for (const Json& run : runs)
    metrics.add_row({run["label"], ratio(run["antt"]), ratio(run["stp"]), ratio(run["fairness"]),
                     ratio(run["occupancy"]["value"]), ratio(run["fill"]["value"]),
                     run["prioritised_turnaround_ps"].is_null() ? "–" : ms(run["prioritised_turnaround_ps"]),
                     ms(run["simulated_ps"])});
  metrics.print(out);
  if (runs.front().contains("sm_cycles")) print_sm_cycles(runs, out);
}

}  // namespace heddle
