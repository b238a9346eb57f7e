#include "models/stats/formula.h"

#include <cmath>

namespace heddle {

namespace {

std::uint64_t sum_of(const std::vector<Formula::Operand>& operands) {
  std::uint64_t sum = 0;
  for (const Formula::Operand& operand : operands) sum += operand.value();
  return sum;
}

}  // namespace

Formula::Formula(const Group& group, std::vector<Operand> numerator, std::vector<Operand> denominator,
                 double scale)
    : group_(group), numerator_(std::move(numerator)), denominator_(std::move(denominator)), scale_(scale) {}

std::uint64_t Formula::numerator_sum() const {
  return sum_of(numerator_);
}

std::uint64_t Formula::denominator_sum() const {
  return sum_of(denominator_);
}

std::optional<double> Formula::value() const {
  const double value = scale_ * static_cast<double>(numerator_sum()) / static_cast<double>(denominator_sum());
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace heddle
