#include "stimuli/expression/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "stimuli/expression/expression_parser.h"

namespace heddle {

Number Expression::evaluate(const Environment& environment) const {
  std::vector<Number> stack;
  for (const Node& node : nodes_) {
    if (node.kind == Kind::kNumber) {
      stack.push_back(node.number);
    } else if (node.kind == Kind::kVariable) {
      stack.push_back(environment.variables[node.word.buffer]);
    } else if (node.kind == Kind::kWord) {
      stack.push_back(environment.word(node.word));
    } else if (node.op == Operator::kNegate) {
      stack.back() = negated(stack.back());
    } else {
      const Number right = stack.back();
      stack.pop_back();
      stack.back() = apply(node.op, stack.back(), right);
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
                     [](const Node& node) { return node.kind == Kind::kVariable; });
}

std::vector<BufferWord> Expression::words() const {
  std::vector<BufferWord> words;
  for (const Node& node : nodes_)
    if (node.kind == Kind::kWord) words.push_back(node.word);
  return words;
}

// Follows the power of time of each value. A bare 0 has any.
void Expression::check_is_time() const {
  std::vector<std::optional<int>> powers;
  for (const Node& node : nodes_) {
    if (node.kind != Kind::kOperator) {
      const bool is_zero = node.kind == Kind::kNumber && !node.is_time && real_of(node.number) == 0;
      powers.push_back(is_zero ? std::nullopt : std::optional(node.is_time ? 1 : 0));
      continue;
    }
    if (node.op == Operator::kNegate) continue;
    const std::optional<int> right = powers.back();
    powers.pop_back();
    std::optional<int>& left = powers.back();
    if (node.op == Operator::kMultiply) {
      left = left.value_or(0) + right.value_or(0);
    } else if (node.op == Operator::kDivide || node.op == Operator::kCeil) {
      left = left.value_or(0) - right.value_or(0);
    } else {
      if (left && right && *left != *right)
        throw NumberError("a number and a time do not go together; give the number a unit, as in 1us");
      if (!left) left = right;
      if (is_comparison(node.op)) left = 0;
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
  const std::int64_t value = std::get<std::int64_t>(number);
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
