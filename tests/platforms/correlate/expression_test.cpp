// The expressions of a map: their values, and where a malformed one is wrong.

#include "platforms/correlate/expression.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle::correlate {
namespace {

// Returns the value of an expression in which every name is as long as its text.
std::optional<double> value_of(const std::string& text) {
  return evaluate(parse_expression(text, Side::kRtl), [](const Expression& leaf) -> std::optional<double> {
    return static_cast<double>(leaf.name.size());
  });
}

std::string refusal_of(const std::string& text, Side side = Side::kRtl) {
  try {
    parse_expression(text, side);
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "";
}

TEST(Expressions, HaveTheUsualPrecedence) {
  EXPECT_EQ(value_of("1 + 2 * 3 - 4 / 2"), 5);
  EXPECT_EQ(value_of("(1 + 2) * -3"), -9);
  EXPECT_EQ(value_of("10 - 4 - 3"), 3);
  EXPECT_EQ(value_of("64 / 4 / 2"), 8);
  EXPECT_EQ(value_of("- - 2"), 2);
  EXPECT_EQ(value_of("0x1F + 1.5e1"), 46);
  EXPECT_EQ(value_of("abc*ab"), 6);
  EXPECT_EQ(value_of("1 / (ab - 2)"), std::nullopt);
}

TEST(Expressions, NamesHaveScopesAndBits) {
  const Expression bits = parse_expression(" top.gen[12].u.count[7:4]", Side::kRtl);
  EXPECT_EQ(bits.kind, Expression::Kind::kName);
  EXPECT_EQ(bits.name, "top.gen[12].u.count");
  EXPECT_EQ(bits.slice->left, 7);
  EXPECT_EQ(bits.slice->right, 4);
  EXPECT_EQ(bits.column, 2u);
  EXPECT_EQ(parse_expression("mem[1][3]", Side::kRtl).name, "mem[1]");
  EXPECT_EQ(parse_expression("mem[1][3]", Side::kRtl).slice->left, 3);
  EXPECT_EQ(parse_expression("\"my counter [1]\"[0]", Side::kRtl).name, "my counter [1]");
  EXPECT_EQ(parse_expression("l1tex__t_bytes.sum@kernel", Side::kRtl).name, "l1tex__t_bytes.sum@kernel");
}

TEST(Expressions, CallsHaveOneArgument) {
  const Expression call = parse_expression("cycles(top.state[3:0] >= 2 * 3)", Side::kRtl);
  EXPECT_EQ(call.kind, Expression::Kind::kCall);
  EXPECT_EQ(call.name, "cycles");
  EXPECT_EQ(call.children.at(0).op, Operator::kGreaterOrEqual);
  const Expression sum = parse_expression("2 * sum( gpu.sm*.ipc[0-3] )", Side::kModel);
  EXPECT_EQ(sum.children.at(1).kind, Expression::Kind::kPattern);
  EXPECT_EQ(sum.children.at(1).name, "gpu.sm*.ipc[0-3]");
}

TEST(Expressions, ComparisonsAreOneOrZero) {
  for (const auto& [text, op, expected] : {std::tuple{"<", Operator::kLess, "100"},
                                           {"<=", Operator::kLessOrEqual, "110"},
                                           {">", Operator::kGreater, "001"},
                                           {">=", Operator::kGreaterOrEqual, "011"},
                                           {"==", Operator::kEqual, "010"},
                                           {"!=", Operator::kNotEqual, "101"}}) {
    const Expression call = parse_expression(fmt::format("cycles(a {} 2)", text), Side::kRtl);
    EXPECT_EQ(call.children.at(0).op, op) << text;
    for (int left = 1; left <= 3; ++left)
      EXPECT_EQ(*apply_to_reals(op, left, 2), expected[left - 1] - '0') << text;
  }
}

TEST(Expressions, WhatIsWrongIsNamedWithItsColumn) {
  const auto column = [](int number, const std::string& message) {
    return fmt::format("column {} of the expression: {}", number, message);
  };
  EXPECT_EQ(refusal_of(""), column(1, "needs a name, a number or '(', has the end"));
  EXPECT_EQ(refusal_of("a +"), column(4, "needs a name, a number or '(', has the end"));
  EXPECT_EQ(refusal_of("a b"), column(3, "needs an operator or the end, has 'b'"));
  EXPECT_EQ(refusal_of("(a"), column(3, "needs ')', has the end"));
  EXPECT_EQ(refusal_of("pulses(a, b)"), column(9, "needs ')', has ','"));
  EXPECT_EQ(refusal_of("a == 1"), column(3, "a comparison stands only within a function"));
  EXPECT_EQ(refusal_of("a[x]"), column(3, "needs the number of a bit, has 'x'"));
  EXPECT_EQ(refusal_of("a[3"), column(4, "needs ']', has the end"));
  EXPECT_EQ(refusal_of("12monkeys"), column(1, "is no number"));
  EXPECT_EQ(refusal_of("1e999"), column(1, "is no number"));
  EXPECT_EQ(refusal_of("pulse(a)"),
            column(1, "no function 'pulse'; did you mean 'pulses'? Known: cycles, delta, last, max, pulses"));
  EXPECT_EQ(refusal_of("system(a)"),
            column(1, "no function 'system'; known: cycles, delta, last, max, pulses"));
  EXPECT_EQ(refusal_of("1 + last(delta(a))"), column(10, "delta() within a function"));
  EXPECT_EQ(refusal_of("sum(a*)"), column(1, "no function 'sum'; known: cycles, delta, last, max, pulses"));
  EXPECT_EQ(refusal_of("sum(a*", Side::kModel), column(7, "needs ')', has the end"));
  EXPECT_EQ(refusal_of("sum( )", Side::kModel), column(6, "needs a pattern of paths, has ')'"));
  EXPECT_EQ(refusal_of("\"a"), column(1, "a name without a closing '\"'"));
  EXPECT_EQ(refusal_of("\"\""), column(1, "a name is empty"));
  EXPECT_EQ(refusal_of("a + \x80"), column(5, "needs a name, a number or '(', has another character"));
}

TEST(Expressions, DeepAndLongOnesAreRefused) {
  EXPECT_EQ(refusal_of(std::string(4097, ' ')), "column 1 of the expression: is longer than 4096 characters");
  EXPECT_NE(refusal_of(std::string(4000, '(')).find("more than 100 levels"), std::string::npos);
  EXPECT_NE(refusal_of(std::string(4000, '-')).find("more than 100 levels"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 2000; ++i) sum += "+1";
  EXPECT_EQ(value_of(sum), 2001);
}

}  // namespace
}  // namespace heddle::correlate
