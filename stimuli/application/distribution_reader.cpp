#include "stimuli/application/distribution_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle {

namespace {

constexpr double kMost = 1e15;    // of a parameter; whole numbers below it are exact
constexpr double kLeast = 1e-15;  // of what must be above zero

double positive(const config::Section& section, const char* key) {
  return section.value(key).real({kLeast, kMost});
}

bool is_whole_text(const config::Value& value) {
  return value.is_scalar() && value.text().find_first_not_of("-0123456789") == std::string::npos;
}

Distribution read_uniform(const config::Section& section) {
  const config::Value least = section.value("least");
  const config::Value most = section.value("most");
  const double low = least.real({-kMost, kMost});
  const double high = most.real({-kMost, kMost});
  if (high < low) most.problem("is below 'least'");
  if (high >= low && is_whole_text(least) && is_whole_text(most))
    return Distribution::uniform_whole(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high));
  return Distribution::uniform(low, std::max(low, high));
}

Distribution read_choice(const config::Section& section) {
  std::vector<double> values;
  std::vector<double> weights;
  const config::Value of = section.value("of");
  for (const config::Value& value : of.list()) values.push_back(value.real({-kMost, kMost}));
  if (section.has("weights")) {
    const config::Value list = section.value("weights");
    for (const config::Value& value : list.list()) weights.push_back(value.real({0, kMost}));
    if (weights.size() != values.size())
      list.problem(fmt::format("{} weights of {} values", weights.size(), values.size()));
    else if (std::accumulate(weights.begin(), weights.end(), 0.0) <= 0)
      list.problem("a weight must be above zero");
  }
  if (values.empty()) of.problem("no value");
  if (values.empty()) values.push_back(0);
  if (weights.size() != values.size() || std::accumulate(weights.begin(), weights.end(), 0.0) <= 0)
    weights.assign(values.size(), 1);
  return Distribution::choice(std::move(values), weights);
}

Distribution read_distribution(const config::Section& section) {
  const std::string kind = section.choice("distribution", {"constant", "uniform", "exponential", "normal",
                                                           "lognormal", "gamma", "geometric", "choice"});
  if (kind == "uniform") return read_uniform(section);
  if (kind == "exponential") return Distribution::exponential(positive(section, "mean"));
  if (kind == "normal")
    return Distribution::normal(section.value("mean").real({-kMost, kMost}),
                                section.value("deviation").real({0, kMost}));
  if (kind == "lognormal")
    return Distribution::lognormal(positive(section, "mean"), positive(section, "deviation"));
  if (kind == "gamma")
    return Distribution::gamma(positive(section, "mean"), section.value("variation").real({1e-3, 30}));
  if (kind == "geometric") return Distribution::geometric(section.value("mean").real({1, kMost}));
  if (kind == "choice") return read_choice(section);
  if (kind == "constant") return Distribution::constant(section.value("value").real({-kMost, kMost}));
  accept_all(section.value("distribution"));
  for (const std::string& key : section.keys()) section.has(key);
  return {};
}

bool is_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

RequestParameter read_parameter(const std::string& name, const config::Value& value,
                                const ArrivalTable* table) {
  RequestParameter parameter;
  parameter.name = name;
  if (!is_name(name)) value.problem("the name of a parameter is letters, digits and '_', no digit first");
  const config::Section section = value.section();
  if (!value.is_section()) return parameter;
  if (section.has("column")) {
    const config::Value column = section.value("column");
    if (table == nullptr) {
      column.problem("the arrivals are of no file");
      return parameter;
    }
    std::vector<std::string> names;
    for (const ArrivalTable::Column& known : table->columns) names.push_back(known.name);
    const auto found = std::find(names.begin(), names.end(), column.text());
    if (found == names.end())
      column.problem(
          fmt::format("the file of arrivals has no column '{}'; it has: {}", column.text(),
                      names.empty() ? "none but the time" : fmt::format("{}", fmt::join(names, ", "))));
    else
      parameter.column = static_cast<std::size_t>(found - names.begin());
    return parameter;
  }
  parameter.distribution = read_distribution(section);
  if (section.has("round") && section.value("round").boolean()) parameter.distribution.round();
  const bool is_uniform =
      section.value("distribution").is_scalar() && section.text("distribution") == "uniform";
  if (is_uniform || (!section.has("least") && !section.has("most"))) return parameter;
  const double least = section.has("least") ? section.value("least").real({-kMost, kMost}) : -kMost;
  const double most = section.has("most") ? section.value("most").real({-kMost, kMost}) : kMost;
  if (most < least) section.value("most").problem("is below 'least'");
  parameter.distribution.limit(least, std::max(least, most));
  return parameter;
}

void accept_all(const config::Value& value) {
  if (!value.is_section()) return;
  const config::Section section = value.section();
  for (const std::string& key : section.keys()) section.has(key);
}

}  // namespace heddle
