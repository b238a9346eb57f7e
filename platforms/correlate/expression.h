#pragma once
// The expressions of a correlation map, as a tree. One side names signals of the RTL, the other one
// statistics of the model:
//
//   pulses(top.l2.hit) + 2 * cycles(top.l2.state[3:0] == 5) - delta(top.l2.wide[87:44])
//   sum(gpu.l2_slice*.hits) / 2
//
//   operand = number | function "(" comparison ")" | name [ slice ]
//   slice   = "[" integer [ ":" integer ] "]"
//
// The rest of the grammar is that of models/core/expression/expression_reader.h, without "%", and with
// comparisons only within a function.
//
// A number is a decimal, or hexadecimal after 0x. A name has letters, digits and _ $ . @ \, and bits in
// brackets that a scope follows, as in top.bank[3].hit; any other name stands in double quotes. The argument
// of the model's function sum is a pattern of the shell for whole paths, up to the closing parenthesis.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/core/expression/number.h"

namespace heddle::correlate {

// An expression is malformed. The message names the column, from 1, in the text of the expression.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t column, const std::string& message);
};

enum class Side : std::uint8_t { kRtl, kModel };

struct Slice {
  std::int64_t left = 0, right = 0;  // equal for one bit
};

struct Expression {
  enum class Kind : std::uint8_t {
    kNumber,
    kName,     // of a signal or a statistic
    kPattern,  // of statistics, which are added
    kCall,     // of the function `name`, with one child
    kOperator  // `op`, with one child or two
  };

  Kind kind = Kind::kNumber;
  Operator op{};
  double number = 0;
  std::string name;
  std::optional<Slice> slice;  // of a name
  std::size_t column = 1;      // where it starts in the text
  std::vector<Expression> children;
  std::size_t index = 0;  // for whoever binds names and calls to what they stand for

  bool is_leaf() const { return kind != Kind::kOperator; }
};

// Throws ExpressionError. The functions of the RTL are cycles, delta, last, max and pulses; that of the model
// is sum.
Expression parse_expression(const std::string& text, Side side);

// Returns the value of an expression, or nothing if a part of it has none. `value_of(leaf)` returns the value
// of a name, a pattern or a call, as std::optional<double>.
template <class ValueOf>
std::optional<double> evaluate(const Expression& expression, const ValueOf& value_of) {
  if (expression.kind == Expression::Kind::kNumber) return expression.number;
  if (expression.is_leaf()) return value_of(expression);
  const std::optional<double> left = evaluate(expression.children[0], value_of);
  if (!left) return std::nullopt;
  if (expression.op == Operator::kNegate) return -*left;
  const std::optional<double> right = evaluate(expression.children[1], value_of);
  if (!right) return std::nullopt;
  return apply_to_reals(expression.op, *left, *right);
}

// Calls `visit(leaf)` for each name, pattern and call of the expression itself; the argument of a call is
// another expression.
template <class Node, class Visit>
void for_each_leaf(Node& expression, const Visit& visit) {
  if (expression.kind == Expression::Kind::kNumber) return;
  if (expression.is_leaf()) return visit(expression);
  for (auto& child : expression.children) for_each_leaf(child, visit);
}

}  // namespace heddle::correlate
