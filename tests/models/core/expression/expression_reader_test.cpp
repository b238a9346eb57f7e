// The grammar that all expressions share, by a language whose operands are digits and which writes what it is
// given in postfix order.

#include "models/core/expression/expression_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "models/core/expression/number.h"

namespace heddle {
namespace {

class Postfix final : private ExpressionReader {
 public:
  explicit Postfix(const std::string& text, bool has_products = true)
      : ExpressionReader(text, 4), has_products_(has_products) {}

  std::string read() {
    read_all();
    return written_;
  }

 private:
  bool has(Operator op) const override { return has_products_ || op != Operator::kMultiply; }
  void check_place(Operator op, std::size_t place) const override {
    if (op == Operator::kEqual) throw std::runtime_error(fmt::format("== at {}", place));
  }
  bool operand() override {
    if (next() < '0' || next() > '9') return false;
    written_ += next();
    move_to(at() + 1);
    return true;
  }
  void push(Operator op, std::size_t place) override {
    static constexpr const char* kSigns[] = {"+", "-", "*", "/", "%", "~", "<", "<=", ">", ">=", "==", "!="};
    written_ += fmt::format(" {}@{} ", kSigns[static_cast<std::size_t>(op)], place);
  }
  void refuse_next(Wanted wanted, std::string_view sign) const override {
    throw std::runtime_error(fmt::format("wanted {}{} at {}", static_cast<int>(wanted), sign, at()));
  }
  void refuse_depth() const override { throw std::runtime_error(fmt::format("too deep at {}", at())); }

  const bool has_products_;
  std::string written_;
};

std::string postfix(const std::string& text, bool has_products = true) {
  try {
    return Postfix(text, has_products).read();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(ExpressionReader, GivesOperatorsAfterTheirOperandsWithTheirPlaces) {
  EXPECT_EQ(postfix("1 + 2*3"), "123 *@5  +@2 ");
  EXPECT_EQ(postfix("1-2-3"), "12 -@1 3 -@3 ");
  EXPECT_EQ(postfix("(1-2)/3%4"), "12 -@2 3 /@5 4 %@7 ");
  EXPECT_EQ(postfix("-1 + -2"), "1 ~@0 2 ~@5  +@3 ");
  EXPECT_EQ(postfix("1+2 <= 3"), "12 +@1 3 <=@4 ");
  EXPECT_EQ(postfix("1 < 2"), "12 <@2 ");
}

TEST(ExpressionReader, WhatIsMissingIsRefusedAtItsPlace) {
  EXPECT_EQ(postfix(""), "wanted 0 at 0");
  EXPECT_EQ(postfix("1 +"), "wanted 0 at 3");
  EXPECT_EQ(postfix("1 ) "), "wanted 1 at 2");
  EXPECT_EQ(postfix("(1"), "wanted 2) at 2");
  EXPECT_EQ(postfix("1 < 2 < 3"), "wanted 1 at 6");
}

TEST(ExpressionReader, ALanguageMayLackAnOperatorOrRefuseItsPlace) {
  EXPECT_EQ(postfix("1 * 2", false), "wanted 1 at 2");
  EXPECT_EQ(postfix("1 / 2", false), "12 /@2 ");
  EXPECT_EQ(postfix("1 == "), "== at 2");
}

TEST(ExpressionReader, FactorsWithinEachOtherAreLimited) {
  EXPECT_EQ(postfix("(((1)))"), "1");
  EXPECT_EQ(postfix("((((1))))"), "too deep at 4");
  EXPECT_EQ(postfix("---1"), "1 ~@2  ~@1  ~@0 ");
  EXPECT_EQ(postfix("----1"), "too deep at 4");
  EXPECT_EQ(postfix("1+1+1+1+1+1"), "11 +@1 1 +@3 1 +@5 1 +@7 1 +@9 ");
}

TEST(ExpressionNumbers, AreWholeUntilAnOperandIsReal) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(apply(Operator::kDivide, std::int64_t{7}, std::int64_t{2}), Number(std::int64_t{3}));
  EXPECT_EQ(apply(Operator::kDivide, std::int64_t{7}, 2.0), Number(3.5));
  EXPECT_EQ(apply(Operator::kCeil, std::int64_t{7}, std::int64_t{2}), Number(std::int64_t{4}));
  EXPECT_EQ(negated(kMost), Number(-kMost));
  EXPECT_THROW((void)negated(-kMost - 1), NumberError);
  EXPECT_THROW((void)apply(Operator::kAdd, kMost, std::int64_t{1}), NumberError);
  EXPECT_EQ(apply_to_reals(Operator::kDivide, 1, 0), std::nullopt);
  EXPECT_EQ(apply_to_reals(Operator::kGreaterOrEqual, 2, 2), 1);
}

}  // namespace
}  // namespace heddle
