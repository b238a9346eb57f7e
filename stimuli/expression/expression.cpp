#include "stimuli/expression/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "stimuli/expression/expression_parser.h"

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

bool Expression::is_comparison(Step step) {
  return step >= Step::kLess && step <= Step::kNotEqual;
}

Number Expression::apply(Step step, const Number& left, const Number& right) {
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
  switch (step) {
    case Step::kAdd:
      return checked([](Whole x, Whole y, Whole* sum) { return __builtin_add_overflow(x, y, sum); }, a + b);
    case Step::kSubtract:
      return checked([](Whole x, Whole y, Whole* rest) { return __builtin_sub_overflow(x, y, rest); }, a - b);
    case Step::kMultiply:
      return checked([](Whole x, Whole y, Whole* all) { return __builtin_mul_overflow(x, y, all); }, a * b);
    case Step::kDivide:
      if (whole) return divided(std::get<Whole>(left), std::get<Whole>(right));
      return finite(a / non_zero(b));
    case Step::kRemainder: {
      if (!whole) throw NumberError("a remainder of reals");
      const Whole divisor = std::get<Whole>(right);
      if (divisor == 0) throw NumberError("division by zero");
      return divisor == -1 ? Whole{0} : std::get<Whole>(left) % divisor;
    }
    case Step::kCeil:
      if (whole) return ceiling(std::get<Whole>(left), std::get<Whole>(right));
      return finite(std::ceil(a / non_zero(b)));
    case Step::kLess:
      return either([](auto x, auto y) { return Whole{x < y}; });
    case Step::kLessOrEqual:
      return either([](auto x, auto y) { return Whole{x <= y}; });
    case Step::kGreater:
      return either([](auto x, auto y) { return Whole{x > y}; });
    case Step::kGreaterOrEqual:
      return either([](auto x, auto y) { return Whole{x >= y}; });
    case Step::kEqual:
      return either([](auto x, auto y) { return Whole{x == y}; });
    case Step::kNotEqual:
      return either([](auto x, auto y) { return Whole{x != y}; });
    case Step::kMin:
      return either([](auto x, auto y) { return std::min(x, y); });
    default:
      return either([](auto x, auto y) { return std::max(x, y); });
  }
}

Number Expression::evaluate(const Environment& environment) const {
  std::vector<Number> stack;
  for (const Node& node : nodes_) {
    if (node.step == Step::kNumber) {
      stack.push_back(node.number);
    } else if (node.step == Step::kVariable) {
      stack.push_back(environment.variables[node.word.buffer]);
    } else if (node.step == Step::kWord) {
      stack.push_back(environment.word(node.word));
    } else {
      const Number right = stack.back();
      stack.pop_back();
      stack.back() = apply(node.step, stack.back(), right);
    }
  }
  return stack.back();
}

Number Expression::constant() const {
  return evaluate({{}, {}});
}

bool Expression::is_constant() const {
  return !has_variables() && words().empty();
}

bool Expression::has_variables() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return node.step == Step::kVariable; });
}

std::vector<BufferWord> Expression::words() const {
  std::vector<BufferWord> words;
  for (const Node& node : nodes_)
    if (node.step == Step::kWord) words.push_back(node.word);
  return words;
}

// Follows the power of time of each value. A bare 0 has any.
void Expression::check_is_time() const {
  std::vector<std::optional<int>> powers;
  for (const Node& node : nodes_) {
    if (node.step == Step::kNumber || node.step == Step::kVariable || node.step == Step::kWord) {
      const bool is_zero = node.step == Step::kNumber && !node.is_time && real_of(node.number) == 0;
      powers.push_back(is_zero ? std::nullopt : std::optional(node.is_time ? 1 : 0));
      continue;
    }
    const std::optional<int> right = powers.back();
    powers.pop_back();
    std::optional<int>& left = powers.back();
    if (node.step == Step::kMultiply) {
      left = left.value_or(0) + right.value_or(0);
    } else if (node.step == Step::kDivide || node.step == Step::kCeil) {
      left = left.value_or(0) - right.value_or(0);
    } else {
      if (left && right && *left != *right)
        throw NumberError("a number and a time do not go together; give the number a unit, as in 1us");
      if (!left) left = right;
      if (is_comparison(node.step)) left = 0;
    }
  }
  if (powers.back().value_or(1) != 1) throw NumberError("it is no time; give it a unit, as in 1us * n");
}

Expression Expression::parse(const std::string& text, const Scope& scope) {
  return ExpressionParser(text, scope).read();
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : constants) names.push_back(name);
  names.insert(names.end(), variables.begin(), variables.end());
  for (const Buffer& buffer : buffers) names.push_back(buffer.name);
  return names;
}

std::int64_t whole_within(const Number& number, std::int64_t least, std::int64_t most) {
  if (!is_whole(number)) throw NumberError(fmt::format("{} is not whole", text_of(number)));
  const Whole value = std::get<Whole>(number);
  if (value < least || value > most)
    throw NumberError(fmt::format("{} is out of range; {} .. {}", value, least, most));
  return value;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) {
    part.erase(0, part.find_first_not_of(" \t\n"));
    part.erase(part.find_last_not_of(" \t\n") + 1);
  }
  return parts;
}

}  // namespace heddle
