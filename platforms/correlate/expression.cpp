#include "platforms/correlate/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/core/expression/expression_reader.h"

namespace heddle::correlate {

namespace {

using Kind = Expression::Kind;

constexpr std::size_t kMostText = 4096;
constexpr int kMostLevels = 100;  // of parentheses and signs within each other

const std::vector<std::string>& functions_of(Side side) {
  static const std::vector<std::string> rtl{"cycles", "delta", "last", "max", "pulses"};
  static const std::vector<std::string> model{"sum"};
  return side == Side::kRtl ? rtl : model;
}

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

bool is_name_start(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         character == '_' || character == '$' || character == '\\';
}

bool is_name(char character) {
  return is_name_start(character) || is_digit(character) || character == '.' || character == '@';
}

class Parser final : private ExpressionReader {
 public:
  Parser(const std::string& text, Side side) : ExpressionReader(text, kMostLevels), side_(side) {}

  Expression parse() {
    if (text().size() > kMostText) fail(0, fmt::format("is longer than {} characters", kMostText));
    read_all();
    return take_operand();
  }

 private:
  [[noreturn]] static void fail(std::size_t at, const std::string& message) {
    throw ExpressionError(at + 1, message);
  }

  // What stands at the present place, for a message.
  std::string here() const {
    if (at_end()) return "the end";
    const auto character = static_cast<unsigned char>(next());
    return character > ' ' && character <= '~' ? fmt::format("'{}'", next()) : "another character";
  }

  void refuse_next(Wanted wanted, std::string_view sign) const override {
    const std::string what = wanted == Wanted::kOperand    ? "a name, a number or '('"
                             : wanted == Wanted::kOperator ? "an operator or the end"
                                                           : fmt::format("'{}'", sign);
    fail(at(), fmt::format("needs {}, has {}", what, here()));
  }

  void refuse_depth() const override {
    fail(at(), fmt::format("more than {} levels within each other", kMostLevels));
  }

  bool has(Operator op) const override { return op != Operator::kRemainder; }

  void check_place(Operator op, std::size_t place) const override {
    if (is_comparison(op) && !in_call_) fail(place, "a comparison stands only within a function");
  }

  void push(Operator op, std::size_t place) override {
    Expression made;
    made.kind = Kind::kOperator;
    made.op = op;
    made.column = place + 1;
    const auto first = operands_.end() - (op == Operator::kNegate ? 1 : 2);
    made.children.assign(std::make_move_iterator(first), std::make_move_iterator(operands_.end()));
    operands_.erase(first, operands_.end());
    operands_.push_back(std::move(made));
  }

  Expression take_operand() {
    Expression last = std::move(operands_.back());
    operands_.pop_back();
    return last;
  }

  bool operand() override {
    const char first = next();
    if (is_digit(first))
      operands_.push_back(number());
    else if (is_name_start(first) || first == '"')
      operands_.push_back(name());
    else
      return false;
    return true;
  }

  Expression number() {
    Expression made;
    made.column = at() + 1;
    const char *start = text().data() + at(), *end = text().data() + text().size();
    std::from_chars_result result{};
    if (text().compare(at(), 2, "0x") == 0) {
      std::uint64_t bits = 0;
      result = std::from_chars(start + 2, end, bits, 16);
      made.number = static_cast<double>(bits);
    } else {
      result = std::from_chars(start, end, made.number);
    }
    const bool is_valid = result.ec == std::errc{} && std::isfinite(made.number);
    if (!is_valid || (result.ptr != end && is_name(*result.ptr))) fail(at(), "is no number");
    move_to(static_cast<std::size_t>(result.ptr - text().data()));
    return made;
  }

  Expression name() {
    Expression made;
    made.kind = Kind::kName;
    made.column = at() + 1;
    const bool is_quoted = next() == '"';
    made.name = is_quoted ? quoted_name() : plain_name();
    const std::size_t after = at();
    if (!is_quoted && take("(")) return call(std::move(made));
    move_to(after);
    if (side_ == Side::kRtl && take("[")) made.slice = slice();
    return made;
  }

  std::string quoted_name() {
    const std::size_t start = at() + 1;
    const std::size_t end = text().find('"', start);
    if (end == std::string_view::npos) fail(at(), "a name without a closing '\"'");
    if (end == start) fail(at(), "a name is empty");
    move_to(end + 1);
    return std::string(text().substr(start, end - start));
  }

  // A number in brackets belongs to the name if a dot or another bracket follows, as in bank[3].hit.
  std::string plain_name() {
    const std::size_t start = at();
    for (;;) {
      while (!at_end() && is_name(next())) move_to(at() + 1);
      if (side_ != Side::kRtl || at_end() || next() != '[') break;
      const std::size_t close = text().find_first_not_of("0123456789", at() + 1);
      if (close == std::string_view::npos || close == at() + 1 || text()[close] != ']') break;
      const char follows = close + 1 < text().size() ? text()[close + 1] : ' ';
      if (follows != '.' && follows != '[') break;
      move_to(close + 1);
    }
    return std::string(text().substr(start, at() - start));
  }

  Slice slice() {
    Slice found;
    found.left = found.right = integer();
    if (take(":")) found.right = integer();
    expect("]");
    return found;
  }

  std::int64_t integer() {
    skip_blanks();
    std::int32_t value = 0;
    const char *start = text().data() + at(), *end = text().data() + text().size();
    const auto result = std::from_chars(start, end, value);
    if (result.ec != std::errc{}) fail(at(), fmt::format("needs the number of a bit, has {}", here()));
    move_to(static_cast<std::size_t>(result.ptr - text().data()));
    return value;
  }

  Expression call(Expression made) {
    const std::vector<std::string>& known = functions_of(side_);
    if (std::find(known.begin(), known.end(), made.name) == known.end()) {
      fail(made.column - 1,
           fmt::format("no function '{}'{}", made.name, config::suggestion_and_known(made.name, known)));
    }
    if (side_ == Side::kModel) return pattern(std::move(made));
    if (in_call_) fail(made.column - 1, fmt::format("{}() within a function", made.name));
    made.kind = Kind::kCall;
    in_call_ = true;
    comparison();
    made.children.push_back(take_operand());
    in_call_ = false;
    expect(")");
    return made;
  }

  Expression pattern(Expression made) {
    skip_blanks();
    const std::size_t close = text().find(')', at());
    if (close == std::string_view::npos) fail(text().size(), "needs ')', has the end");
    std::size_t end = close;
    while (end > at() && text()[end - 1] == ' ') --end;
    if (end == at()) fail(at(), "needs a pattern of paths, has ')'");
    made.kind = Kind::kPattern;
    made.name = text().substr(at(), end - at());
    move_to(close + 1);
    return made;
  }

  const Side side_;
  bool in_call_ = false;
  std::vector<Expression> operands_;  // that no operator has taken yet
};

}  // namespace

ExpressionError::ExpressionError(std::size_t column, const std::string& message)
    : std::runtime_error(fmt::format("column {} of the expression: {}", column, message)) {}

Expression parse_expression(const std::string& text, Side side) {
  return Parser(text, side).parse();
}

}  // namespace heddle::correlate
