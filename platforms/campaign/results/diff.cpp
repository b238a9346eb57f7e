#include "platforms/campaign/results/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "platforms/campaign/results/database.h"
#include "platforms/campaign/results/samples.h"
#include "platforms/campaign/results/tables.h"

namespace heddle {

namespace {

using Value = std::optional<double>;

struct KeyOrder {
  bool operator()(const SampleKey& a, const SampleKey& b) const {
    return std::tie(a.label, a.variant, a.number) < std::tie(b.label, b.variant, b.number);
  }
};

struct SideSample {
  bool complete = false;
  std::map<std::string, double> metrics;
};

struct Side {
  std::string campaign;
  std::vector<SampleKey> order;
  std::map<SampleKey, SideSample, KeyOrder> samples;
  std::vector<std::string> metrics;  // of all samples, in the order of the database

  bool has(const std::string& metric) const {
    return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
  }
};

// Returns the number in a column of a row; SQLite itself would read any text as 0.
double number(const Statement& row, int column, const std::string& what) {
  if (row.is_integer(column) || row.is_real(column)) return row.real(column);
  throw DatabaseError(row.is_null(column)
                          ? fmt::format("{} is empty", what)
                          : fmt::format("{} is no number: '{}'", what, row.text(column).substr(0, 60)));
}

std::int64_t whole_number(const Statement& row, int column, const std::string& what) {
  if (!row.is_integer(column)) number(row, column, what);
  if (!row.is_integer(column)) throw DatabaseError(what + " is no whole number");
  return row.integer(column);
}

Side read_side(Database& database) {
  Statement campaign(database, "SELECT name, schema FROM campaign");
  if (!campaign.step()) throw DatabaseError("it has no campaign");
  if (campaign.text(1) != kResultsSchema)
    throw DatabaseError(
        fmt::format("its schema is {}; this program reads {}", campaign.text(1), kResultsSchema));
  Side side;
  side.campaign = campaign.text(0);
  std::map<std::int64_t, SideSample*> by_number;
  Statement samples(database,
                    "SELECT s.sample, p.label, s.variant, s.complete FROM samples AS s "
                    "JOIN points AS p ON p.point = s.point ORDER BY s.sample");
  while (samples.step()) {
    SampleKey key{samples.text(1), samples.text(2)};
    while (side.samples.count(key) != 0) ++key.number;
    SideSample& sample = side.samples[key];
    const std::int64_t sample_number = whole_number(samples, 0, "the number of a sample");
    sample.complete = whole_number(samples, 3, fmt::format("'complete' of sample {}", sample_number)) != 0;
    by_number[sample_number] = &sample;
    side.order.push_back(std::move(key));
  }
  Statement metrics(database, "SELECT sample, name, value FROM metrics");
  std::set<std::string> known;
  while (metrics.step()) {
    const auto sample = by_number.find(metrics.integer(0));
    if (sample == by_number.end()) throw DatabaseError("a metric has a sample that does not exist");
    sample->second->metrics[metrics.text(1)] =
        number(metrics, 2, fmt::format("metric {} of sample {}", metrics.text(1), metrics.integer(0)));
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
  config::check_file(path);
  if (!std::filesystem::exists(path)) throw config::Error({path + ": there is no such campaign"});
  try {
    Database database(path);
    return read_side(database);
  } catch (const DatabaseError& error) {
    throw config::Error({fmt::format("{}: no results of heddle batch collect: {}", path, error.what())});
  }
}

Value value_of(const SideSample& sample, const std::string& metric) {
  const auto found = sample.metrics.find(metric);
  return found == sample.metrics.end() ? std::nullopt : Value(found->second);
}

bool differ(const Value& a, const Value& b, double tolerance) {
  if (!a || !b) return a.has_value() != b.has_value();
  return *a != *b && !(std::abs(*a - *b) <= tolerance * std::max(std::abs(*a), std::abs(*b)));
}

ResultsComparison compare(const Side& a, const Side& b, double tolerance) {
  ResultsComparison result;
  result.campaigns[0] = a.campaign;
  result.campaigns[1] = b.campaign;
  std::vector<std::string> shared;
  for (const std::string& metric : a.metrics)
    (b.has(metric) || b.metrics.empty() ? shared : result.metrics[0]).push_back(metric);
  for (const std::string& metric : b.metrics)
    if (!a.has(metric) && !a.metrics.empty()) result.metrics[1].push_back(metric);
  for (const SampleKey& key : b.order)
    if (a.samples.count(key) == 0) result.samples[1].push_back(key);
  for (const SampleKey& key : a.order) {
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
      const SampleDifference found{key, metric, value_of(one, metric), value_of(other->second, metric)};
      if (differ(found.a, found.b, tolerance)) result.differences.push_back(found);
    }
  }
  return result;
}

}  // namespace

std::optional<double> SampleDifference::change() const {
  return a && b ? Value(*b - *a) : std::nullopt;
}

std::optional<double> SampleDifference::share() const {
  return a && b && *a != 0 ? Value((*b - *a) / *a) : std::nullopt;
}

bool ResultsComparison::is_same() const {
  const auto none = [](const auto& lists) { return lists[0].empty() && lists[1].empty(); };
  return none(metrics) && none(samples) && none(complete) && differences.empty();
}

ResultsComparison compare_results(const std::string& a, const std::string& b, double tolerance) {
  const Side first = load_side(a);
  const Side second = load_side(b);
  return compare(first, second, tolerance);
}

}  // namespace heddle
