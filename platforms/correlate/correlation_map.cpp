#include "platforms/correlate/correlation_map.h"

#include <fmt/format.h>

#include <limits>
#include <set>

namespace heddle::correlate {

namespace {

constexpr std::int64_t kMostCycles = std::int64_t{1} << 52U;
constexpr std::int64_t kMostPeriod = 1'000'000'000'000'000;  // in picoseconds

std::optional<MappedExpression> read_expression(const config::Section& section, const config::Key& key,
                                                Side side) {
  if (!section.has(key.name)) {
    section.value(key, "expression");  // records that the key is missing
    return std::nullopt;
  }
  const config::Value value = section.value(key, "expression");
  const std::string text = value.text();
  if (!value.is_scalar()) return std::nullopt;
  try {
    return MappedExpression{value, parse_expression(text, side)};
  } catch (const ExpressionError& error) {
    value.problem(error.what());
    return std::nullopt;
  }
}

// Reads an expression that must be a name, perhaps with bits.
std::optional<MappedExpression> read_signal(const config::Section& section, const config::Key& key) {
  std::optional<MappedExpression> signal = read_expression(section, key, Side::kRtl);
  if (!signal || signal->tree.kind == Expression::Kind::kName) return signal;
  signal->place.problem("needs the name of a signal");
  return std::nullopt;
}

void read_clock(const config::Value& value, CorrelationMap& map) {
  const config::Section section = value.section();
  MappedClock clock{value, std::nullopt, true, 0};
  if (section.has("signal") == section.has("period")) {
    section.problem("needs either 'signal' or 'period'");
    for (const char* key : {"edge", "period", "signal"}) section.has(key);
    return;
  }
  if (section.has("period")) {
    clock.period_ps = section.time_ps({"period", "time between two samples"}, config::Range{1, kMostPeriod});
    if (clock.period_ps == 0) return;
  } else {
    clock.signal = read_signal(section, {"signal", "the clock"});
    clock.rising = section.choice({"edge", "edge of the clock at which signals are sampled"},
                                  {"rising", "falling"}, "rising") == "rising";
    if (!clock.signal) return;
  }
  map.clock = clock;
}

void read_reset(const config::Value& value, CorrelationMap& map) {
  const config::Section section = value.section();
  const auto signal = read_signal(section, {"signal", "the reset"});
  const std::string level = section.choice({"level", "level at which nothing is counted"}, {"high", "low"});
  if (signal) map.reset = MappedReset{*signal, level == "high"};
}

void read_ranges(const config::Section& section, MappedWindows& windows) {
  const config::Range cycles{0, kMostCycles};
  for (const config::Value& value : section.list({"ranges", "[begin, end] of each window, in cycles"})) {
    const std::vector<config::Value> bounds = value.list();
    if (bounds.size() != 2) {
      value.problem("needs the two numbers [begin, end]");
      continue;
    }
    const auto begin = static_cast<std::uint64_t>(bounds[0].integer(cycles));
    const auto end = static_cast<std::uint64_t>(bounds[1].integer(cycles));
    if (end <= begin) {
      value.problem(fmt::format("ends at cycle {}, which is not after cycle {}", end, begin));
    } else if (!windows.ranges.empty() && begin < windows.ranges.back().end) {
      value.problem(fmt::format("begins at cycle {}, before the window above ends", begin));
    } else {
      windows.ranges.push_back({value, begin, end});
    }
  }
}

void read_windows(const config::Value& value, CorrelationMap& map) {
  const config::Section section = value.section();
  MappedWindows windows{value, {}, std::nullopt, 0, true, 0};
  const int kinds = static_cast<int>(section.has("ranges")) + static_cast<int>(section.has("signal")) +
                    static_cast<int>(section.has("every"));
  if (kinds != 1) {
    section.problem("needs one of 'ranges', 'signal' and 'every'");
    for (const char* key : {"compare", "offset"}) section.has(key);
    return;
  }
  if (section.has("ranges")) read_ranges(section, windows);
  if (section.has("signal")) windows.signal = read_signal(section, {"signal", "high during a window"});
  if (section.has("every")) windows.every = section.cycles({"every", "length of a window"}, {1, kMostCycles});
  const std::string fallback = section.has("signal") ? "whole-run" : "series";
  const std::string compare = section.choice(
      {"compare", "series: each window with its part of series.csv; whole-run: all windows with the run"},
      {"series", "whole-run"}, fallback);
  windows.has_series = compare == "series";
  windows.offset =
      section.cycles({"offset", "cycle of the run at which cycle 0 of the RTL is"}, {0, kMostCycles}, 0);
  if (windows.ranges.empty() && !windows.signal && windows.every == 0) return;
  map.windows = windows;
}

Tolerance read_tolerance(const config::Section& section, const Tolerance& fallback) {
  return {section.real({"absolute", "largest difference"}, config::RealRange{}, fallback.absolute),
          section.real({"relative", "largest difference, as a fraction of the RTL"}, config::RealRange{0, 1},
                       fallback.relative)};
}

void read_pairs(const config::Section& root, const Tolerance& fallback, CorrelationMap& map) {
  std::set<std::string> names;
  const std::vector<config::Value> values = root.list({"pairs", "what is compared"});
  if (!root.has("pairs")) root.problem("needs 'pairs'");
  for (const config::Value& value : values) {
    const config::Section section = value.section();
    const std::string name = section.text({"name", "name of the pair"});
    if (!name.empty() && !names.insert(name).second)
      section.problem(fmt::format("another pair has the name '{}'", name));
    const auto rtl = read_expression(section, {"rtl", "expression over signals"}, Side::kRtl);
    const auto model = read_expression(section, {"model", "expression over statistics"}, Side::kModel);
    const Tolerance tolerance =
        section.has("tolerance") ? read_tolerance(section.section("tolerance"), fallback) : fallback;
    if (rtl && model) map.pairs.push_back({name, *rtl, *model, tolerance});
  }
}

std::vector<MappedName> read_reasons(const config::Section& section, const std::string& key) {
  std::vector<MappedName> names;
  if (!section.has(key)) return names;
  const config::Section side = section.section(key);
  for (const std::string& name : side.keys()) {
    const config::Value value = side.value(name);
    const std::string reason = value.text();
    if (value.is_scalar() && reason.empty()) value.problem("needs a reason");
    names.push_back({value, name, reason});
  }
  return names;
}

std::vector<MappedName> read_patterns(const config::Section& section, const std::string& key) {
  std::vector<MappedName> names;
  for (const config::Value& value : section.list({key, "names or patterns"}))
    names.push_back({value, value.text(), ""});
  return names;
}

}  // namespace

CorrelationMap read_correlation_map(const config::Section& root) {
  CorrelationMap map;
  map.name = root.text({"correlation", "name of the map"}, "");
  if (const auto clock = root.optional("clock")) read_clock(*clock, map);
  if (const auto reset = root.optional("reset")) read_reset(*reset, map);
  if (const auto windows = root.optional("windows")) read_windows(*windows, map);
  Tolerance tolerance;
  if (root.has("tolerance")) tolerance = read_tolerance(root.section("tolerance"), tolerance);
  read_pairs(root, tolerance, map);
  if (root.has("unmapped")) {
    const config::Section unmapped = root.section("unmapped");
    map.unmapped_rtl = read_reasons(unmapped, "rtl");
    map.unmapped_model = read_reasons(unmapped, "model");
  }
  if (root.has("cover")) {
    const config::Section cover = root.section("cover");
    map.cover_rtl = read_patterns(cover, "rtl");
    map.cover_model = read_patterns(cover, "model");
  }
  return map;
}

void record_problem(const MappedExpression& expression, std::size_t column, const std::string& message) {
  expression.place.problem(ExpressionError(column, message).what());
}

}  // namespace heddle::correlate
