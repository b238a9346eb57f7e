#include "models/core/expression/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle {

namespace {

using Whole = std::int64_t;

Whole divided(Whole a, Whole b) {
  if (b == 0) throw NumberError("division by zero");
  if (b == -1) {
    Whole result = 0;
    if (__builtin_sub_overflow(Whole{0}, a, &result)) throw NumberError("it overflows 64 bits");
    return result;
  }
  return a / b;
}

Whole ceiling(Whole a, Whole b) {
  const Whole quotient = divided(a, b);
  return b != -1 && a % b != 0 && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}

double finite(double value) {
  if (!std::isfinite(value)) throw NumberError("it overflows a real");
  return value;
}

double non_zero(double value) {
  if (value == 0) throw NumberError("division by zero");
  return value;
}

}  // namespace

double real_of(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

std::string text_of(const Number& number) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, number);
}

Number apply(Operator op, const Number& left, const Number& right) {
  const bool whole = is_whole(left) && is_whole(right);
  const auto either = [&](auto compute) -> Number {
    if (whole) return compute(std::get<Whole>(left), std::get<Whole>(right));
    return compute(real_of(left), real_of(right));
  };
  const auto checked = [&](auto compute, double real) -> Number {
    if (!whole) return finite(real);
    Whole result = 0;
    if (compute(std::get<Whole>(left), std::get<Whole>(right), &result))
      throw NumberError("it overflows 64 bits");
    return result;
  };
  const double a = real_of(left);
  const double b = real_of(right);
  switch (op) {
    case Operator::kAdd:
      return checked([](Whole x, Whole y, Whole* sum) { return __builtin_add_overflow(x, y, sum); }, a + b);
    case Operator::kSubtract:
      return checked([](Whole x, Whole y, Whole* rest) { return __builtin_sub_overflow(x, y, rest); }, a - b);
    case Operator::kMultiply:
      return checked([](Whole x, Whole y, Whole* all) { return __builtin_mul_overflow(x, y, all); }, a * b);
    case Operator::kDivide:
      if (whole) return divided(std::get<Whole>(left), std::get<Whole>(right));
      return finite(a / non_zero(b));
    case Operator::kRemainder: {
      if (!whole) throw NumberError("a remainder of reals");
      const Whole divisor = std::get<Whole>(right);
      if (divisor == 0) throw NumberError("division by zero");
      return divisor == -1 ? Whole{0} : std::get<Whole>(left) % divisor;
    }
    case Operator::kCeil:
      if (whole) return ceiling(std::get<Whole>(left), std::get<Whole>(right));
      return finite(std::ceil(a / non_zero(b)));
    case Operator::kLess:
      return either([](auto x, auto y) { return Whole{x < y}; });
    case Operator::kLessOrEqual:
      return either([](auto x, auto y) { return Whole{x <= y}; });
    case Operator::kGreater:
      return either([](auto x, auto y) { return Whole{x > y}; });
    case Operator::kGreaterOrEqual:
      return either([](auto x, auto y) { return Whole{x >= y}; });
    case Operator::kEqual:
      return either([](auto x, auto y) { return Whole{x == y}; });
    case Operator::kNotEqual:
      return either([](auto x, auto y) { return Whole{x != y}; });
    case Operator::kMin:
      return either([](auto x, auto y) { return std::min(x, y); });
    default:
      return either([](auto x, auto y) { return std::max(x, y); });
  }
}

Number negated(const Number& number) {
  return apply(Operator::kSubtract, Whole{0}, number);
}

std::optional<double> apply_to_reals(Operator op, double left, double right) {
  switch (op) {
    case Operator::kAdd:
      return left + right;
    case Operator::kSubtract:
      return left - right;
    case Operator::kMultiply:
      return left * right;
    case Operator::kDivide:
      if (right == 0) return std::nullopt;
      return left / right;
    case Operator::kLess:
      return left < right ? 1 : 0;
    case Operator::kLessOrEqual:
      return left <= right ? 1 : 0;
    case Operator::kGreater:
      return left > right ? 1 : 0;
    case Operator::kGreaterOrEqual:
      return left >= right ? 1 : 0;
    case Operator::kEqual:
      return left == right ? 1 : 0;
    default:
      return left != right ? 1 : 0;
  }
}

}  // namespace heddle
