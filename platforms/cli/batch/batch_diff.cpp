#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/stats/writers.h"
#include "platforms/campaign/results/diff.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/options.h"
#include "platforms/cli/print_json.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

using Metric = std::optional<double>;

struct BatchDiffOptions {
  std::string a;  // the directory of a campaign, or the results.sqlite that collect wrote there
  std::string b;
  double tolerance = 0;  // most difference of two equal values, as a share of the larger
  bool json = false;
};

void declare_batch_diff(CommandLine& verb, BatchDiffOptions& options) {
  verb.add_option("A", options.a, "a campaign's results, or the results.sqlite of one").required();
  verb.add_option("B", options.b, "another").required();
  verb.add_option("--tolerance", options.tolerance,
                  "values may differ by this share of the larger (default: 0)")
      .range(0.0, 1.0);
  add_json_flag(verb, options.json, "one JSON object and nothing else");
  verb.footer("Exit codes: 0 nothing differs, 1 something differs, 2 bad usage or input.");
}

std::string metric_text(const Metric& value, const char* format = "{}") {
  return value ? fmt::format(fmt::runtime(format), *value) : "–";
}

void print_comparison(const ResultsComparison& comparison, const BatchDiffOptions& options) {
  const std::string* paths[] = {&options.a, &options.b};
  if (comparison.campaigns[0] != comparison.campaigns[1])
    std::cout << fmt::format("two campaigns: {} is {}, {} is {}\n", options.a, comparison.campaigns[0],
                             options.b, comparison.campaigns[1]);
  if (comparison.is_same()) {
    std::cout << "nothing differs\n";
    return;
  }
  if (!comparison.differences.empty()) {
    constexpr Table::Align kRight = Table::Align::kRight;
    Table table({{"point"},
                 {"variant"},
                 {"metric"},
                 {"A", kRight},
                 {"B", kRight},
                 {"difference", kRight},
                 {"%", kRight}});
    for (const SampleDifference& each : comparison.differences) {
      const Metric share = each.share();
      table.add_row({each.key.label, each.key.variant, each.metric, metric_text(each.a), metric_text(each.b),
                     metric_text(each.change(), "{:+.6g}"),
                     metric_text(share ? Metric(*share * 100) : share, "{:+.3g}")});
    }
    table.print(std::cout);
  }
  for (int side = 0; side < 2; ++side) {
    for (const std::string& metric : comparison.metrics[side])
      std::cout << fmt::format("only in {}: metric {}\n", *paths[side], metric);
    for (const SampleKey& key : comparison.samples[side])
      std::cout << fmt::format("only in {}: {}, {}\n", *paths[side], key.label, key.variant);
    for (const SampleKey& key : comparison.complete[side])
      std::cout << fmt::format("complete only in {}: {}, {}\n", *paths[side], key.label, key.variant);
  }
}

nlohmann::ordered_json keys_json(const std::vector<SampleKey>& keys) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SampleKey& key : keys) list.push_back({{"label", key.label}, {"variant", key.variant}});
  return list;
}

nlohmann::ordered_json metric_json(const Metric& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json comparison_json(const ResultsComparison& comparison, const BatchDiffOptions& options) {
  nlohmann::ordered_json json{{"schema", "heddle-diff-1"},
                              {"tolerance", options.tolerance},
                              {"differences", nlohmann::ordered_json::array()}};
  for (const SampleDifference& each : comparison.differences)
    json["differences"].push_back({{"label", each.key.label},
                                   {"variant", each.key.variant},
                                   {"metric", each.metric},
                                   {"a", metric_json(each.a)},
                                   {"b", metric_json(each.b)},
                                   {"difference", metric_json(each.change())},
                                   {"relative", metric_json(each.share())}});
  const char* names[] = {"a", "b"};
  for (int side = 0; side < 2; ++side)
    json[names[side]] = {{"path", side == 0 ? options.a : options.b},
                         {"campaign", comparison.campaigns[side]},
                         {"metrics_alone", comparison.metrics[side]},
                         {"samples_alone", keys_json(comparison.samples[side])},
                         {"complete_alone", keys_json(comparison.complete[side])}};
  return json;
}

int compare_campaigns(const BatchDiffOptions& options) {
  const ResultsComparison comparison = compare_results(options.a, options.b, options.tolerance);
  if (options.json)
    print_json(comparison_json(comparison, options));
  else
    print_comparison(comparison, options);
  return comparison.is_same() ? 0 : kExitDifferent;
}

const VerbRegistration kBatchDiff("batch diff", 90, "Print what differs between the results of two campaigns",
                                  declare_batch_diff, compare_campaigns);

}  // namespace

}  // namespace heddle
