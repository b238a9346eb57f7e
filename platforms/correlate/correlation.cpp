#include "platforms/correlate/correlation.h"

#include <algorithm>
#include <functional>

namespace heddle::correlate {

namespace {

// Counts what is marked as mapped, as reasoned, or as covered without either.
Coverage coverage_of(const std::vector<bool>& mapped, const std::vector<bool>& exercised,
                     const std::vector<bool>& reasoned, const std::vector<bool>& covered,
                     const std::function<std::string(std::size_t)>& name_at) {
  Coverage coverage;
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    if (mapped[i]) {
      ++coverage.mapped;
      if (exercised[i]) ++coverage.exercised;
    } else if (reasoned[i]) {
      ++coverage.reasoned;
    } else if (covered[i]) {
      coverage.open.push_back(name_at(i));
    }
  }
  std::sort(coverage.open.begin(), coverage.open.end());
  return coverage;
}

}  // namespace

std::size_t Correlation::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      pairs.begin(), pairs.end(), [verdict](const PairResult& pair) { return pair.verdict == verdict; }));
}

Correlation Correlator::run() {
  RtlCounter counter(measures_, operands_, watched_place_, map_.windows, window_operand_);
  rtl_.play(watched_, counter);
  const bool has_series = map_.windows && map_.windows->has_series;
  std::uint64_t until = 0;
  if (has_series && model_.series_cycles() > map_.windows->offset)
    until = model_.series_cycles() - map_.windows->offset;
  counter.finish(until);
  ModelWindows parts;
  if (has_series) parts = model_.in_windows(statistics_, model_ranges(counter), map_.windows->place);
  Correlation result;
  result.name = map_.name;
  result.format = rtl_.format();
  result.cycles = counter.cycles();
  result.has_window_pairs = has_series && parts.values.size() == counter.windows().size();
  result.windows = counter.windows().size();
  if (has_series && !result.has_window_pairs) return result;  // a problem is recorded
  for (const MappedPair& pair : map_.pairs) result.pairs.push_back(compare(pair, counter, parts));
  cover(result.pairs, result);
  return result;
}

// Returns the windows in cycles of the run. The last window of a fixed length may be longer than the RTL.
std::vector<CycleRange> Correlator::model_ranges(const RtlCounter& counter) const {
  std::vector<CycleRange> ranges;
  const MappedWindows& windows = *map_.windows;
  for (const CountedWindow& window : counter.windows()) {
    const std::uint64_t end = windows.every != 0 ? window.begin + windows.every : window.end;
    ranges.push_back({window.begin + windows.offset, end + windows.offset});
  }
  return ranges;
}

SideValue Correlator::rtl_value(const MappedPair& pair, const std::vector<MeasureState>& states) const {
  return evaluate(pair.rtl.tree,
                  [&](const Expression& leaf) { return states[leaf.index].value(measures_[leaf.index]); });
}

bool Correlator::is_unknown(const MappedPair& pair, const std::vector<MeasureState>& states) const {
  bool is_any = false;
  for_each_leaf(pair.rtl.tree, [&](const Expression& leaf) {
    is_any = is_any || states[leaf.index].is_unknown(measures_[leaf.index]);
  });
  return is_any;
}

SideValue Correlator::model_value(const MappedPair& pair, const std::vector<SideValue>& statistics) const {
  return evaluate(pair.model.tree, [&](const Expression& leaf) -> SideValue {
    double sum = 0;
    for (const std::size_t statistic : groups_[leaf.index]) {
      if (!statistics[statistic]) return std::nullopt;
      sum += *statistics[statistic];
    }
    return sum;
  });
}

PairResult Correlator::compare(const MappedPair& pair, const RtlCounter& counter,
                               const ModelWindows& parts) const {
  PairResult result;
  result.name = pair.name;
  result.rtl_text = pair.rtl.place.text();
  result.model_text = pair.model.place.text();
  result.tolerance = pair.tolerance;
  std::vector<SideValue> totals;
  for (std::size_t i = 0; i < statistics_.size(); ++i)
    totals.push_back(parts.total.empty() ? model_.total(statistics_[i]) : SideValue(parts.total[i]));
  result.rtl = rtl_value(pair, counter.total());
  result.model = model_value(pair, totals);
  bool has_changed = !rtl_.is_waveform();
  for_each_leaf(pair.rtl.tree, [&](const Expression& leaf) {
    const MeasureState& state = counter.total()[leaf.index];
    has_changed = has_changed || state.has_changed();
    if (state.is_unknown(measures_[leaf.index]))
      result.unknown_cycle =
          std::min(result.unknown_cycle.value_or(state.unknown_cycle()), state.unknown_cycle());
  });
  result.verdict = judge(result.rtl, result.model, pair.tolerance, has_changed);
  compare_windows(pair, counter, parts, result);
  if (result.windows_off != 0) result.verdict = Verdict::kOff;
  if (is_unknown(pair, counter.total())) result.verdict = Verdict::kUnknown;
  return result;
}

void Correlator::compare_windows(const MappedPair& pair, const RtlCounter& counter, const ModelWindows& parts,
                                 PairResult& result) const {
  std::vector<double> rtl, model;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < counter.windows().size(); ++i) {
    const CountedWindow& counted = counter.windows()[i];
    WindowResult window{counted.begin, counted.end, rtl_value(pair, counted.states), std::nullopt,
                        Verdict::kNotExercised};
    if (!parts.values.empty()) {
      window.model = model_value(pair, {parts.values[i].begin(), parts.values[i].end()});
      window.verdict = judge(window.rtl, window.model, pair.tolerance, true);
      if (is_unknown(pair, counted.states)) window.verdict = Verdict::kUnknown;
      if (window.verdict == Verdict::kOff) ++result.windows_off;
      if (window.rtl && window.model && window.verdict != Verdict::kUnknown) {
        rtl.push_back(*window.rtl);
        model.push_back(*window.model);
        indices.push_back(i);
      }
    }
    result.windows.push_back(window);
  }
  result.pearson = pearson(rtl, model);
  if (const std::optional<RowError> error = row_error(rtl, model)) {
    result.mean_relative_error = error->mean;
    result.worst_window = indices[error->worst];
  }
}

void Correlator::cover(const std::vector<PairResult>& pairs, Correlation& result) const {
  std::vector<bool> mapped_rtl(rtl_.signals()), exercised_rtl(rtl_.signals());
  std::vector<bool> mapped_model(model_.paths().size()), exercised_model(model_.paths().size());
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const bool is_exercised = pairs[pair].verdict == Verdict::kAgree || pairs[pair].verdict == Verdict::kOff;
    for (const std::size_t signal : pair_signals_[pair]) {
      mapped_rtl[signal] = true;
      if (is_exercised) exercised_rtl[signal] = true;
    }
    for (const std::size_t statistic : pair_statistics_[pair]) {
      mapped_model[statistic] = true;
      if (is_exercised) exercised_model[statistic] = true;
    }
  }
  result.rtl = coverage_of(mapped_rtl, exercised_rtl, reasoned_rtl_, covered_rtl_,
                           [this](std::size_t i) { return rtl_.signal(i).name; });
  result.model = coverage_of(mapped_model, exercised_model, reasoned_model_, covered_model_,
                             [this](std::size_t i) { return model_.paths()[i]; });
}

}  // namespace heddle::correlate
