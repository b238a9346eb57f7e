// Two campaigns' results side by side.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "models/core/config/config.h"
#include "models/stats/writers.h"
#include "platforms/campaign/results/database.h"
#include "platforms/campaign/results/results.h"
#include "platforms/campaign/results/samples.h"
#include "platforms/campaign/results/tables.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;
using Value = std::optional<double>;

struct Key {
  std::string label;
  std::string variant;
  int number = 0;  // among those of one label and variant
};
bool operator<(const Key& a, const Key& b) {
  return std::tie(a.label, a.variant, a.number) < std::tie(b.label, b.variant, b.number);
}

struct SideSample {
  bool complete = false;
  std::map<std::string, double> metrics;
};

struct Side {
  std::string campaign;
  std::vector<Key> order;
  std::map<Key, SideSample> samples;
  std::vector<std::string> metrics;  // that a sample has, in the order in which they come

  bool has(const std::string& metric) const {
    return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
  }
};

Side read_side(Database& database) {
  Statement campaign(database, "SELECT name, schema FROM campaign");
  if (!campaign.step() || campaign.text(1) != kResultsSchema)
    throw DatabaseError(fmt::format("its schema is not {}", kResultsSchema));
  Side side;
  side.campaign = campaign.text(0);
  std::map<std::int64_t, SideSample*> by_number;
  Statement samples(database,
                    "SELECT s.sample, p.label, s.variant, s.complete FROM samples AS s "
                    "JOIN points AS p ON p.point = s.point ORDER BY s.sample");
  while (samples.step()) {
    Key key{samples.text(1), samples.text(2)};
    while (side.samples.count(key) != 0) ++key.number;
    SideSample& sample = side.samples[key];
    sample.complete = samples.integer(3) != 0;
    by_number[samples.integer(0)] = &sample;
    side.order.push_back(std::move(key));
  }
  Statement metrics(database, "SELECT sample, name, value FROM metrics");
  std::set<std::string> known;
  while (metrics.step()) {
    const auto sample = by_number.find(metrics.integer(0));
    if (sample == by_number.end()) throw DatabaseError("a metric of no sample");
    sample->second->metrics[metrics.text(1)] = metrics.real(2);
    if (known.insert(metrics.text(1)).second) side.metrics.push_back(metrics.text(1));
  }
  return side;
}

Side load_side(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    Database database;
    write_tables(read_results(path), database);
    return read_side(database);
  }
  if (!std::filesystem::exists(path)) throw config::Error({path + ": there is no such campaign"});
  try {
    Database database(path);
    return read_side(database);
  } catch (const DatabaseError& error) {
    throw config::Error({fmt::format("{}: no results of heddle batch collect: {}", path, error.what())});
  }
}

struct Difference {
  Key key;
  std::string metric;
  Value a;
  Value b;

  Value change() const { return a && b ? Value(*b - *a) : std::nullopt; }
  Value share() const { return a && b && *a != 0 ? Value((*b - *a) / *a) : std::nullopt; }
};

struct Comparison {
  std::vector<std::string> metrics[2];  // that one has alone
  std::vector<Key> samples[2];          // that one has alone
  std::vector<Key> complete[2];         // that are complete in one alone
  std::vector<Difference> differences;

  bool is_same() const {
    const auto none = [](const auto& lists) { return lists[0].empty() && lists[1].empty(); };
    return none(metrics) && none(samples) && none(complete) && differences.empty();
  }
};

Value value_of(const SideSample& sample, const std::string& metric) {
  const auto found = sample.metrics.find(metric);
  return found == sample.metrics.end() ? std::nullopt : Value(found->second);
}

bool differ(const Value& a, const Value& b, double tolerance) {
  if (!a || !b) return a.has_value() != b.has_value();
  return *a != *b && !(std::abs(*a - *b) <= tolerance * std::max(std::abs(*a), std::abs(*b)));
}

Comparison compare(const Side& a, const Side& b, double tolerance) {
  Comparison result;
  std::vector<std::string> shared;
  for (const std::string& metric : a.metrics)
    (b.has(metric) || b.metrics.empty() ? shared : result.metrics[0]).push_back(metric);
  for (const std::string& metric : b.metrics)
    if (!a.has(metric) && !a.metrics.empty()) result.metrics[1].push_back(metric);
  for (const Key& key : b.order)
    if (a.samples.count(key) == 0) result.samples[1].push_back(key);
  for (const Key& key : a.order) {
    const auto other = b.samples.find(key);
    if (other == b.samples.end()) {
      result.samples[0].push_back(key);
      continue;
    }
    const SideSample& one = a.samples.at(key);
    if (one.complete != other->second.complete) {
      result.complete[one.complete ? 0 : 1].push_back(key);
      continue;
    }
    for (const std::string& metric : shared) {
      const Difference found{key, metric, value_of(one, metric), value_of(other->second, metric)};
      if (differ(found.a, found.b, tolerance)) result.differences.push_back(found);
    }
  }
  return result;
}

std::string text(const Value& value, const char* format = "{}") {
  return value ? fmt::format(fmt::runtime(format), *value) : "–";
}

void print(const Comparison& comparison, const Side& a, const Side& b, const DiffOptions& options) {
  if (a.campaign != b.campaign)
    std::cout << fmt::format("two campaigns: {} is {}, {} is {}\n", options.a, a.campaign, options.b,
                             b.campaign);
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
    for (const Difference& each : comparison.differences) {
      const Value share = each.share();
      table.add_row({each.key.label, each.key.variant, each.metric, text(each.a), text(each.b),
                     text(each.change(), "{:+.6g}"), text(share ? Value(*share * 100) : share, "{:+.3g}")});
    }
    table.print(std::cout);
  }
  const std::string* paths[] = {&options.a, &options.b};
  for (int side = 0; side < 2; ++side) {
    for (const std::string& metric : comparison.metrics[side])
      std::cout << fmt::format("only in {}: metric {}\n", *paths[side], metric);
    for (const Key& key : comparison.samples[side])
      std::cout << fmt::format("only in {}: {}, {}\n", *paths[side], key.label, key.variant);
    for (const Key& key : comparison.complete[side])
      std::cout << fmt::format("complete only in {}: {}, {}\n", *paths[side], key.label, key.variant);
  }
}

Json json_of(const std::vector<Key>& keys) {
  Json list = Json::array();
  for (const Key& key : keys) list.push_back({{"label", key.label}, {"variant", key.variant}});
  return list;
}

Json json_of(const Value& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Comparison& comparison, const Side& a, const Side& b, const DiffOptions& options) {
  Json json{{"schema", "heddle-diff-1"}, {"tolerance", options.tolerance}, {"differences", Json::array()}};
  for (const Difference& each : comparison.differences)
    json["differences"].push_back({{"label", each.key.label},
                                   {"variant", each.key.variant},
                                   {"metric", each.metric},
                                   {"a", json_of(each.a)},
                                   {"b", json_of(each.b)},
                                   {"difference", json_of(each.change())},
                                   {"relative", json_of(each.share())}});
  const char* names[] = {"a", "b"};
  for (int side = 0; side < 2; ++side)
    json[names[side]] = {{"path", side == 0 ? options.a : options.b},
                         {"campaign", (side == 0 ? a : b).campaign},
                         {"metrics_alone", comparison.metrics[side]},
                         {"samples_alone", json_of(comparison.samples[side])},
                         {"complete_alone", json_of(comparison.complete[side])}};
  return json;
}

}  // namespace

int batch_diff(const DiffOptions& options) {
  const Side a = load_side(options.a);
  const Side b = load_side(options.b);
  const Comparison comparison = compare(a, b, options.tolerance);
  if (options.json)
    std::cout << to_json(comparison, a, b, options).dump(-1, ' ', false, Json::error_handler_t::replace)
              << std::endl;
  else
    print(comparison, a, b, options);
  return comparison.is_same() ? 0 : 1;
}

}  // namespace heddle
