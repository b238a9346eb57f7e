#include "platforms/correlate/measure.h"

#include <algorithm>

namespace heddle::correlate {

Reading read_argument(const Expression& argument, const std::vector<Reading>& operands) {
  if (argument.kind == Expression::Kind::kName) return operands[argument.index];
  const auto value = evaluate(argument, [&](const Expression& leaf) -> std::optional<double> {
    const Reading& reading = operands[leaf.index];
    if (!reading.is_known) return std::nullopt;
    return reading.value;
  });
  Reading reading;
  reading.is_known = value.has_value();
  reading.value = value.value_or(0);
  return reading;
}

void MeasureState::mark_unknown(std::uint64_t cycle) {
  if (!is_unknown_) unknown_cycle_ = cycle;
  is_unknown_ = true;
}

// Follows the value, which is `now` at the begin, in a cycle or at the end.
void MeasureState::look(const Measure& measure, const Reading& now, std::uint64_t cycle) {
  if (!has_begun_) {
    has_begun_ = true;
    most_ = now.value;
    last_ = now;
  }
  if (!(now == last_)) has_changed_ = true;
  if (measure.kind == Measure::Kind::kDelta && now.is_known && last_.is_known) {
    const std::uint64_t mask =
        measure.width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << measure.width) - 1;
    if (measure.width != 0) {
      whole_ += (now.bits - last_.bits) & mask;
    } else {
      real_ += now.value - last_.value;
    }
  }
  most_ = std::max(most_, now.value);
  last_ = now;
  const bool needs_all = measure.kind == Measure::Kind::kDelta || measure.kind == Measure::Kind::kMax;
  if (needs_all && !now.is_known) mark_unknown(cycle);
}

void MeasureState::begin(const Measure& measure, const Reading& now, std::uint64_t cycle) {
  if (has_begun_) last_ = now;  // what it has grown by in a pause does not count
  look(measure, now, cycle);
}

void MeasureState::count(const Measure& measure, const Reading& now, const Reading& before,
                         std::uint64_t cycle) {
  look(measure, now, cycle);
  if (measure.kind != Measure::Kind::kCycles && measure.kind != Measure::Kind::kPulses) return;
  if (!now.is_known) return mark_unknown(cycle);
  const bool was_high = measure.kind == Measure::Kind::kPulses && before.is_known && before.value != 0;
  if (now.value != 0 && !was_high) ++whole_;
}

void MeasureState::end(const Measure& measure, const Reading& now, std::uint64_t cycle) {
  look(measure, now, cycle);
  if (measure.kind == Measure::Kind::kLast && !now.is_known) unknown_cycle_ = cycle;
}

bool MeasureState::is_unknown(const Measure& measure) const {
  return is_unknown_ || (measure.kind == Measure::Kind::kLast && has_begun_ && !last_.is_known);
}

std::optional<double> MeasureState::value(const Measure& measure) const {
  if (!has_begun_ || is_unknown(measure)) return std::nullopt;
  switch (measure.kind) {
    case Measure::Kind::kLast:
      return last_.value;
    case Measure::Kind::kMax:
      return most_;
    case Measure::Kind::kDelta:
      return measure.width != 0 ? static_cast<double>(whole_) : real_;
    default:
      return static_cast<double>(whole_);
  }
}

}  // namespace heddle::correlate
