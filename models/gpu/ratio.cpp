#include "models/gpu/ratio.h"

#include <cmath>
#include <utility>

namespace heddle {

namespace {

std::uint64_t sum_of(const CounterList& counters) {
  std::uint64_t sum = 0;
  for (const Counter& counter : counters) sum += counter.value();
  return sum;
}

}  // namespace

CounterRatio::CounterRatio(Group& group, const std::string& name, const std::string& unit,
                           const std::string& description, CounterList numerator, CounterList denominator,
                           double scale)
    : numerator_(std::move(numerator)), denominator_(std::move(denominator)), scale_(scale) {
  group.add_formula(name, unit, description, numerator_, denominator_, scale_);
}

// The order of operations is that of Group, so that both give the same double.
Ratio CounterRatio::read() const {
  Ratio ratio{std::nullopt, sum_of(numerator_), sum_of(denominator_)};
  const double value = scale_ * static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator);
  if (std::isfinite(value)) ratio.value = value;
  return ratio;
}

}  // namespace heddle
