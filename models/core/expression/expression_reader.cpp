#include "models/core/expression/expression_reader.h"

namespace heddle {

namespace {

// A sign that begins with another one stands before it.
using Sign = std::pair<std::string_view, Operator>;
constexpr Sign kComparisons[] = {{"<=", Operator::kLessOrEqual}, {">=", Operator::kGreaterOrEqual},
                                 {"==", Operator::kEqual},       {"!=", Operator::kNotEqual},
                                 {"<", Operator::kLess},         {">", Operator::kGreater}};
constexpr Sign kSums[] = {{"+", Operator::kAdd}, {"-", Operator::kSubtract}};
constexpr Sign kProducts[] = {
    {"*", Operator::kMultiply}, {"/", Operator::kDivide}, {"%", Operator::kRemainder}};

}  // namespace

bool is_comparison(Operator op) {
  return op >= Operator::kLess && op <= Operator::kNotEqual;
}

void ExpressionReader::read_all() {
  comparison();
  skip_blanks();
  if (!at_end()) refuse_next(Wanted::kOperator, "");
}

template <std::size_t kSigns>
ExpressionReader::Found ExpressionReader::take_one(const Sign (&signs)[kSigns]) {
  for (const auto& [sign, op] : signs) {
    if (!has(op) || !take(sign)) continue;
    const std::size_t place = at_ - sign.size();
    check_place(op, place);
    return {true, op, place};
  }
  return {};
}

void ExpressionReader::comparison() {
  sum();
  if (const Found found = take_one(kComparisons)) {
    sum();
    push(found.op, found.place);
  }
}

void ExpressionReader::sum() {
  product();
  while (const Found found = take_one(kSums)) {
    product();
    push(found.op, found.place);
  }
}

void ExpressionReader::product() {
  factor();
  while (const Found found = take_one(kProducts)) {
    factor();
    push(found.op, found.place);
  }
}

void ExpressionReader::factor() {
  if (++depth_ > most_depth_) refuse_depth();
  skip_blanks();
  const std::size_t place = at_;
  if (has(Operator::kNegate) && take("-")) {
    factor();
    push(Operator::kNegate, place);
  } else if (take("(")) {
    comparison();
    expect(")");
  } else if (at_end() || !operand()) {
    refuse_next(Wanted::kOperand, "");
  }
  --depth_;
}

void ExpressionReader::skip_blanks() {
  while (!at_end() && (next() == ' ' || next() == '\t' || next() == '\n')) ++at_;
}

bool ExpressionReader::take(std::string_view sign) {
  skip_blanks();
  if (text_.compare(at_, sign.size(), sign) != 0) return false;
  at_ += sign.size();
  return true;
}

void ExpressionReader::expect(std::string_view sign) {
  if (!take(sign)) refuse_next(Wanted::kSign, sign);
}

}  // namespace heddle
