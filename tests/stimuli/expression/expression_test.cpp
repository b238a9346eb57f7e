#include "stimuli/expression/expression.h"

#include <gmock/gmock.h>

#include <cmath>

namespace heddle {
namespace {

using testing::ElementsAre;

Scope scope() {
  Scope scope;
  scope.constants = {{"n", std::int64_t{100}}, {"scale", 0.5}, {"graph.edges", std::int64_t{7}}};
  scope.variables = {"first", "second"};
  scope.buffers = {{"go_on", 4}};
  return scope;
}

Number value(const std::string& text) {
  return Expression::parse(text, scope()).constant();
}

std::int64_t whole(const std::string& text) {
  return std::get<std::int64_t>(value(text));
}

std::string refusal(const std::string& text) {
  try {
    Expression::parse(text, scope());
  } catch (const NumberError& error) {
    return error.what();
  }
  return "none";
}

TEST(Expression, BindsAsArithmeticDoes) {
  EXPECT_EQ(whole("1 + 2 * 3"), 7);
  EXPECT_EQ(whole("(1 + 2) * 3"), 9);
  EXPECT_EQ(whole("10 - 3 - 4"), 3);
  EXPECT_EQ(whole("100 / 10 / 5"), 2);
  EXPECT_EQ(whole("-2 * -3"), 6);
  EXPECT_EQ(whole("2 * n % 7"), 4);
  EXPECT_EQ(whole("1 + 1 < 3"), 1);
  EXPECT_EQ(whole("n >= 101"), 0);
  EXPECT_EQ(whole("(n > 99) + (n <= 99) + (n == 100) + (n != 100)"), 2);
}

TEST(Expression, DividesTowardsZeroAndCeilTowardsInfinity) {
  for (std::int64_t a = -9; a <= 9; ++a)
    for (const std::int64_t b : {-4, -1, 1, 3}) {
      const std::string operands = "(" + std::to_string(a) + ", " + std::to_string(b) + ")";
      EXPECT_EQ(whole("ceil" + operands),
                static_cast<std::int64_t>(std::ceil(static_cast<double>(a) / static_cast<double>(b))))
          << operands;
      EXPECT_EQ(whole("(" + std::to_string(a) + ") / (" + std::to_string(b) + ")"), a / b);
      EXPECT_EQ(whole("(" + std::to_string(a) + ") % (" + std::to_string(b) + ")"), a % b);
    }
}

TEST(Expression, TakesTheLesserAndTheGreater) {
  EXPECT_EQ(whole("min(n, 7) + max(n, 7)"), 107);
  EXPECT_EQ(value("max(scale, 2)"), Number(2.0));
}

TEST(Expression, ReadsLiterals) {
  EXPECT_EQ(whole("0xff"), 255);
  EXPECT_EQ(whole("4KiB + 1B"), 4097);
  EXPECT_EQ(whole("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(value("1.5e-3"), Number(1.5e-3));
  EXPECT_EQ(value("-0.25"), Number(-0.25));
}

TEST(Expression, IsRealWhereAnOperandIs) {
  EXPECT_EQ(value("1 / 2"), Number(std::int64_t{0}));
  EXPECT_EQ(value("1 / 2.0"), Number(0.5));
  EXPECT_EQ(value("scale * n"), Number(50.0));
  EXPECT_EQ(value("ceil(5, 2.0)"), Number(3.0));
}

TEST(Expression, FollowsVariablesAndWords) {
  const Expression expression = Expression::parse("first + 10 * second + go_on[n / 50]", scope());
  EXPECT_FALSE(expression.is_constant());
  ASSERT_EQ(expression.words().size(), 1U);
  EXPECT_EQ(expression.words()[0].index, 2U);
  const std::function<Number(BufferWord)> word = [](BufferWord at) -> Number {
    return static_cast<std::int64_t>(1000 * at.index);
  };
  const std::vector<Number> variables{std::int64_t{3}, std::int64_t{4}};
  EXPECT_EQ(expression.evaluate({variables, word}), Number(std::int64_t{2043}));
  EXPECT_TRUE(Expression::parse("n * graph.edges", scope()).is_constant());
}

TEST(Expression, NeverWraps) {
  EXPECT_EQ(refusal("9223372036854775807 + 1"), "it overflows 64 bits");
  EXPECT_EQ(refusal("-9223372036854775807 - 2"), "it overflows 64 bits");
  EXPECT_EQ(refusal("4294967296 * 2147483648"), "it overflows 64 bits");
  EXPECT_EQ(refusal("(-9223372036854775807 - 1) / -1"), "it overflows 64 bits");
  EXPECT_EQ(whole("(-9223372036854775807 - 1) % -1"), 0);
  EXPECT_EQ(refusal("8589934592GiB"), "it overflows 64 bits");
  EXPECT_EQ(refusal("1e308 * 10"), "it overflows a real");
}

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_EQ(refusal(""), "a number or a name is missing at the end");
  EXPECT_EQ(refusal("1 +"), "a number or a name is missing at the end");
  EXPECT_EQ(refusal("(1"), "')' is missing at the end");
  EXPECT_EQ(refusal("1 2"), "an operator is missing before '2'");
  EXPECT_EQ(refusal("1 < 2 < 3"), "an operator is missing before '<'");
  EXPECT_EQ(refusal("12abc"), "an operator is missing before 'a'");
  EXPECT_EQ(refusal("n / 0"), "division by zero");
  EXPECT_EQ(refusal("ceil(n, n - n)"), "division by zero");
  EXPECT_EQ(refusal("n % 0"), "division by zero");
  EXPECT_EQ(refusal("1.5 % 2"), "a remainder of reals");
  EXPECT_EQ(refusal("sacle"), "there is no 'sacle' here; did you mean 'scale'?");
  EXPECT_EQ(refusal("floor(1, 2)"), "there is no function 'floor'; known: min, max, ceil");
  EXPECT_EQ(refusal("min(1)"), "',' is missing before ')'");
  EXPECT_EQ(refusal("stop[0]"), "there is no buffer 'stop' here");
  EXPECT_EQ(refusal("go_on[4]"), "4 is out of range; 0 .. 3");
  EXPECT_EQ(refusal("go_on[first]"), "which word of 'go_on' must not change");
  EXPECT_EQ(refusal("99999999999999999999"), "a number too large for 64 bits");
  EXPECT_EQ(refusal("1e999"), "a number too large for a real");
  EXPECT_EQ(refusal(std::string(100, '(')), "nested deeper than 64");
  EXPECT_EQ(refusal(std::string(100, '-') + "1"), "nested deeper than 64");
  EXPECT_EQ(refusal(std::string(5000, ' ')), "longer than 4096 bytes");
}

TEST(Expression, SplitsListsOutsideOfParentheses) {
  EXPECT_THAT(split_at_commas(" ceil(n, 16) , a[min(1, 2)],3"),
              ElementsAre("ceil(n, 16)", "a[min(1, 2)]", "3"));
  EXPECT_THAT(split_at_commas(""), ElementsAre(""));
}

TEST(LaunchNumber, StoresWhatATypeHoldsAndNothingElse) {
  std::byte bytes[8];
  for (const std::string& name : element_names()) {
    const ElementType type = element_named(name);
    store(type, std::int64_t{100}, bytes);
    EXPECT_EQ(real_of(load(type, bytes)), 100) << name;
  }
  const auto refused = [&](const char* type, const Number& number) {
    try {
      store(element_named(type), number, bytes);
    } catch (const NumberError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(refused("u8", std::int64_t{256}), "256 does not fit a u8");
  EXPECT_EQ(refused("u64", std::int64_t{-1}), "-1 does not fit a u64");
  EXPECT_EQ(refused("i8", std::int64_t{-128}), "none");
  EXPECT_EQ(refused("i8", std::int64_t{-129}), "-129 does not fit a i8");
  EXPECT_EQ(refused("i32", 0.5), "0.5 is not whole; a i32 is wanted");
  EXPECT_EQ(refused("f32", 1e39), "1e+39 does not fit a f32");
  EXPECT_EQ(refused("f64", 1e39), "none");
}

}  // namespace
}  // namespace heddle
