#include "platforms/correlate/rtl_counter.h"

#include <fmt/format.h>

#include <utility>

namespace heddle::correlate {

namespace {

constexpr std::size_t kMostWindows = 1'000'000;

[[noreturn]] void fail(const config::Value& place, const std::string& message) {
  throw config::Error({fmt::format("{}: {}: {}", place.place(), place.path(), message)});
}

}  // namespace

RtlCounter::RtlCounter(const std::vector<Measure>& measures, std::vector<Operand> operands,
                       std::vector<std::size_t> watched, const std::optional<MappedWindows>& windows,
                       std::optional<std::size_t> window)
    : measures_(measures),
      operands_(std::move(operands)),
      watched_(std::move(watched)),
      windows_(windows),
      window_operand_(window),
      readings_(operands_.size()),
      now_(measures.size()),
      before_(measures.size()),
      total_(measures.size()) {}

void RtlCounter::read(const SignalValues& values) {
  for (std::size_t i = 0; i < operands_.size(); ++i)
    readings_[i] = read_operand(operands_[i], values[watched_[i]]);
  for (std::size_t i = 0; i < measures_.size(); ++i)
    now_[i] = read_argument(measures_[i].argument, readings_);
}

void RtlCounter::moment(std::uint64_t cycle, const SignalValues& values) {
  read(values);
  last_cycle_ = cycle;
  if (is_open_ && !is_counting_) begin_states(cycle);
  is_counting_ = true;
  move_windows(cycle);
  if (is_open_) {
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      total_[i].count(measures_[i], now_[i], before_[i], cycle);
      if (windows_) counted_.back().states[i].count(measures_[i], now_[i], before_[i], cycle);
    }
  }
  before_ = now_;
}

void RtlCounter::reset_edge(const SignalValues& values) {
  read(values);
  before_ = now_;
}

void RtlCounter::pause(std::uint64_t cycle, const SignalValues& values) {
  read(values);
  last_cycle_ = cycle;
  if (is_open_ && windows_ && !windows_->signal) check_end(cycle);
  if (is_open_ && is_counting_) end_states(cycle);
  is_counting_ = false;
}

// Opens and closes windows at the moment of a cycle, before the cycle is counted.
void RtlCounter::move_windows(std::uint64_t cycle) {
  if (is_open_ && is_end(cycle)) {
    end_states(cycle);
    close(cycle);
  }
  if (!is_open_ && is_begin(cycle)) {
    open(cycle);
    begin_states(cycle);
  }
}

bool RtlCounter::is_end(std::uint64_t cycle) const {
  if (!windows_) return false;
  if (windows_->signal) {
    const Reading& signal = readings_[*window_operand_];
    return !signal.is_known || signal.value == 0;
  }
  check_end(cycle);
  return cycle == counted_.back().end;
}

// A table may lack the row at which a window ends.
void RtlCounter::check_end(std::uint64_t cycle) const {
  const std::uint64_t end = counted_.back().end;
  if (cycle > end)
    fail(windows_->place, fmt::format("a window ends at cycle {}, of which the RTL has no row", end));
}

bool RtlCounter::window_signal(std::uint64_t cycle) {
  const Reading& signal = readings_[*window_operand_];
  if (!signal.is_known && !unknown_window_) unknown_window_ = cycle;
  return signal.is_known && signal.value != 0;
}

bool RtlCounter::is_begin(std::uint64_t cycle) {
  if (!windows_) return true;
  if (windows_->signal) return window_signal(cycle);
  if (windows_->every != 0) {
    if (cycle % windows_->every == 0) return true;
    fail(windows_->place, fmt::format("a window begins at cycle {}, of which the RTL has no row",
                                      cycle / windows_->every * windows_->every));
  }
  if (next_range_ == windows_->ranges.size()) return false;
  const MappedWindows::Range& range = windows_->ranges[next_range_];
  if (cycle > range.begin)
    fail(range.place, fmt::format("the RTL has no row of cycle {}, where the window begins", range.begin));
  return cycle == range.begin;
}

void RtlCounter::open(std::uint64_t cycle) {
  is_open_ = true;
  if (!windows_) return;
  if (counted_.size() == kMostWindows)
    fail(windows_->place, fmt::format("more than {} windows", kMostWindows));
  std::uint64_t end = cycle + windows_->every;
  if (!windows_->ranges.empty()) end = windows_->ranges[next_range_++].end;
  counted_.push_back({cycle, end, std::vector<MeasureState>(measures_.size())});
}

void RtlCounter::close(std::uint64_t cycle) {
  counted_.back().end = cycle;
  is_open_ = false;
}

void RtlCounter::begin_states(std::uint64_t cycle) {
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    total_[i].begin(measures_[i], now_[i], cycle);
    if (windows_) counted_.back().states[i].begin(measures_[i], now_[i], cycle);
  }
}

void RtlCounter::end_states(std::uint64_t cycle) {
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    total_[i].end(measures_[i], now_[i], cycle);
    if (windows_) counted_.back().states[i].end(measures_[i], now_[i], cycle);
  }
}

void RtlCounter::finish(std::uint64_t until) {
  if (!windows_) return;
  if (is_open_) close(last_cycle_);
  const std::uint64_t every = windows_->every;
  for (std::uint64_t begin = counted_.size() * every; every != 0 && begin < until; begin += every) {
    open(begin);
    begin_states(begin);
    end_states(begin);
    close(begin + every);
  }
  if (next_range_ < windows_->ranges.size()) {
    const MappedWindows::Range& range = windows_->ranges[next_range_];
    range.place.problem(
        fmt::format("begins at cycle {}, but the RTL ends at cycle {}", range.begin, last_cycle_));
  }
  if (!windows_->ranges.empty() && !counted_.empty() &&
      counted_.back().end < windows_->ranges[counted_.size() - 1].end)
    windows_->ranges[counted_.size() - 1].place.problem(
        fmt::format("ends after cycle {}, where the RTL ends", last_cycle_));
  if (unknown_window_)
    windows_->signal->place.problem(fmt::format("is x or z in cycle {}", *unknown_window_));
  else if (windows_->signal && counted_.empty())
    windows_->signal->place.problem("the signal is never high outside of reset");
}

}  // namespace heddle::correlate
