// What the names of a map stand for: signals, statistics, and the counters that the map covers.

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "models/core/config/config_names.h"
#include "platforms/correlate/correlation.h"

namespace heddle::correlate {

namespace {

constexpr std::size_t kMostPaths = 100'000;  // paths that are searched for the nearest one

Measure::Kind kind_of(const std::string& function) {
  if (function == "cycles") return Measure::Kind::kCycles;
  if (function == "delta") return Measure::Kind::kDelta;
  if (function == "max") return Measure::Kind::kMax;
  if (function == "pulses") return Measure::Kind::kPulses;
  return Measure::Kind::kLast;
}

bool matches(const std::string& pattern, const std::string& name) {
  return pattern == name || ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::string nearest_path(const ModelSource& model, const std::string& path) {
  const std::vector<std::string>& paths = model.paths();
  const auto end = paths.begin() + static_cast<std::ptrdiff_t>(std::min(paths.size(), kMostPaths));
  return config::suggestion(path, {paths.begin(), end});
}

// Returns the index of the value in the list, at whose end it is added if it is new.
std::size_t add_once(std::vector<std::size_t>& list, std::size_t value) {
  const auto found = std::find(list.begin(), list.end(), value);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(value);
  return list.size() - 1;
}

// Marks the names that match a pattern. Records a problem if there are none.
void mark(const std::vector<MappedName>& patterns, std::size_t count,
          const std::function<std::string(std::size_t)>& name_at, std::vector<bool>& marked,
          const std::function<std::string(const std::string&)>& nearest) {
  marked.assign(count, false);
  std::vector<bool> has_match(patterns.size(), false);
  for (std::size_t i = 0; i < count && !patterns.empty(); ++i) {
    const std::string name = name_at(i);
    for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
      if (!matches(patterns[pattern].name, name)) continue;
      marked[i] = true;
      has_match[pattern] = true;
    }
  }
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern)
    if (!has_match[pattern])
      patterns[pattern].place.problem(
          fmt::format("'{}' matches nothing{}", patterns[pattern].name, nearest(patterns[pattern].name)));
}

}  // namespace

Correlator::Correlator(const config::Section& root, RtlSource& rtl, ModelSource& model)
    : rtl_(rtl), model_(model), map_(read_correlation_map(root)) {
  if (rtl_.is_waveform() && !root.has("clock")) root.problem("needs 'clock': the RTL is a waveform");
  rtl_.set_up(map_);
  if (map_.windows && map_.windows->has_series) model_.load_series();
  if (map_.windows && map_.windows->signal && rtl_.is_waveform()) {
    const MappedExpression& signal = *map_.windows->signal;
    const std::optional<Operand> operand = bind_operand(rtl_, signal.tree, signal);
    if (operand && operand->count == 1 && !operand->is_real) {
      window_operand_ = watch(*operand);
    } else if (operand) {
      signal.place.problem("needs a signal of one bit");
    }
  }
  for (MappedPair& pair : map_.pairs) {
    pair_signals_.emplace_back();
    pair_statistics_.emplace_back();
    bind_rtl(pair);
    bind_model(pair);
  }
  bind_coverage();
}

std::size_t Correlator::watch(const Operand& operand) {
  operands_.push_back(operand);
  watched_place_.push_back(add_once(watched_, operand.signal));
  return operands_.size() - 1;
}

// Makes each name and each call of the expression a measure, whose index the leaf has.
void Correlator::bind_rtl(MappedPair& pair) {
  for_each_leaf(pair.rtl.tree, [&](Expression& leaf) { bind_measure(leaf, pair); });
}

void Correlator::bind_measure(Expression& leaf, MappedPair& pair) {
  using Kind = Measure::Kind;
  const auto fail = [&](const std::string& message) { record_problem(pair.rtl, leaf.column, message); };
  Measure measure;
  const bool is_call = leaf.kind == Expression::Kind::kCall;
  if (is_call) measure.kind = kind_of(leaf.name);
  measure.argument = is_call ? leaf.children[0] : leaf;
  const bool counts_events = measure.kind == Kind::kCycles || measure.kind == Kind::kPulses;
  if (counts_events && !rtl_.is_waveform())
    return fail(fmt::format("{}() needs a waveform, and the RTL is a table ({})", leaf.name, rtl_.format()));
  const bool is_name = measure.argument.kind == Expression::Kind::kName;
  if (measure.kind == Kind::kDelta && !is_name) return fail("delta() needs the name of one signal");
  bool is_bound = true;
  for_each_leaf(measure.argument, [&](Expression& name) {
    const std::optional<Operand> operand = bind_operand(rtl_, name, pair.rtl);
    is_bound = is_bound && operand;
    if (!operand) return;
    name.index = watch(*operand);
    add_once(pair_signals_.back(), operand->signal);
  });
  if (!is_bound) return;
  if (is_name) {
    const Operand& operand = operands_[measure.argument.index];
    if (measure.kind == Kind::kDelta && !operand.is_real) measure.width = operand.count;
    if (counts_events && (operand.is_real || operand.count != 1))
      return fail(fmt::format(
          "{}() of a name needs a signal of one bit; compare a wider one, as in 'count != 0'", leaf.name));
  }
  leaf.index = measures_.size();
  measures_.push_back(std::move(measure));
}

void Correlator::bind_model(MappedPair& pair) {
  const bool in_series = map_.windows && map_.windows->has_series;
  for_each_leaf(pair.model.tree, [&](Expression& leaf) {
    const auto fail = [&](const std::string& message) { record_problem(pair.model, leaf.column, message); };
    std::vector<std::size_t> found;
    if (leaf.kind == Expression::Kind::kPattern) {
      found = model_.matches(leaf.name);
      if (found.empty())
        return fail(fmt::format("no statistic matches '{}'{}", leaf.name, nearest_path(model_, leaf.name)));
    } else {
      const std::optional<std::size_t> statistic = model_.find(leaf.name);
      if (!statistic)
        return fail(fmt::format("no statistic '{}'{}", leaf.name, nearest_path(model_, leaf.name)));
      found.push_back(*statistic);
    }
    leaf.index = groups_.size();
    groups_.emplace_back();
    for (const std::size_t statistic : found) {
      if (in_series && !model_.has_series_of(statistic))
        return fail(fmt::format("'{}' is no counter of series.csv", model_.paths()[statistic]));
      groups_.back().push_back(add_once(statistics_, statistic));
      add_once(pair_statistics_.back(), statistic);
    }
  });
}

void Correlator::bind_coverage() {
  const auto signal_at = [this](std::size_t i) { return rtl_.signal(i).name; };
  const auto nearest_rtl = [this](const std::string& name) { return nearest_signal(rtl_, name); };
  const auto path_at = [this](std::size_t i) { return model_.paths()[i]; };
  const auto nearest_model = [this](const std::string& path) { return nearest_path(model_, path); };
  mark(map_.unmapped_rtl, rtl_.signals(), signal_at, reasoned_rtl_, nearest_rtl);
  mark(map_.cover_rtl, rtl_.signals(), signal_at, covered_rtl_, nearest_rtl);
  mark(map_.unmapped_model, model_.paths().size(), path_at, reasoned_model_, nearest_model);
  mark(map_.cover_model, model_.paths().size(), path_at, covered_model_, nearest_model);
  if (!rtl_.is_waveform()) covered_rtl_.assign(rtl_.signals(), true);
}

}  // namespace heddle::correlate
