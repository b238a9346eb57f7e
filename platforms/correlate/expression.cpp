#include "platforms/correlate/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "models/core/config/config.h"

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

class Parser {
 public:
  Parser(const std::string& text, Side side) : text_(text), side_(side) {}

  Expression parse() {
    if (text_.size() > kMostText) fail(0, fmt::format("is longer than {} characters", kMostText));
    Expression expression = comparison();
    skip_blanks();
    if (at_ < text_.size()) fail(at_, fmt::format("needs an operator or the end, has {}", here()));
    return expression;
  }

 private:
  // Counts a level of nesting while it exists.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser.level_ > kMostLevels)
        fail(parser.at_, fmt::format("more than {} levels within each other", kMostLevels));
    }
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  [[noreturn]] static void fail(std::size_t at, const std::string& message) {
    throw ExpressionError(at + 1, message);
  }

  // What stands at the present place, for a message.
  std::string here() const {
    if (at_ >= text_.size()) return "the end";
    const auto character = static_cast<unsigned char>(text_[at_]);
    return character > ' ' && character <= '~' ? fmt::format("'{}'", text_[at_]) : "another character";
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  // Takes the symbol if it is the next one.
  bool take(std::string_view symbol) {
    skip_blanks();
    if (text_.compare(at_, symbol.size(), symbol) != 0) return false;
    at_ += symbol.size();
    return true;
  }

  void expect(std::string_view symbol) {
    if (!take(symbol)) fail(at_, fmt::format("needs '{}', has {}", symbol, here()));
  }

  static Expression operation(Kind kind, std::size_t at, Expression left, Expression right) {
    Expression made;
    made.kind = kind;
    made.column = at + 1;
    made.children.push_back(std::move(left));
    made.children.push_back(std::move(right));
    return made;
  }

  Expression comparison() {
    static constexpr std::array<std::pair<std::string_view, Kind>, 6> kSymbols{{{"<=", Kind::kLessOrEqual},
                                                                                {">=", Kind::kGreaterOrEqual},
                                                                                {"==", Kind::kEqual},
                                                                                {"!=", Kind::kNotEqual},
                                                                                {"<", Kind::kLess},
                                                                                {">", Kind::kGreater}}};
    Expression left = total();
    for (const auto& [symbol, kind] : kSymbols) {
      if (!take(symbol)) continue;
      const std::size_t at = at_ - symbol.size();
      if (!in_call_) fail(at, "a comparison stands only within a function");
      return operation(kind, at, std::move(left), total());
    }
    return left;
  }

  Expression total() {
    Expression left = product();
    for (;;) {
      const bool is_sum = take("+");
      if (!is_sum && !take("-")) return left;
      const std::size_t at = at_ - 1;
      left = operation(is_sum ? Kind::kAdd : Kind::kSubtract, at, std::move(left), product());
    }
  }

  Expression product() {
    Expression left = unary();
    for (;;) {
      const bool is_product = take("*");
      if (!is_product && !take("/")) return left;
      const std::size_t at = at_ - 1;
      left = operation(is_product ? Kind::kMultiply : Kind::kDivide, at, std::move(left), unary());
    }
  }

  Expression unary() {
    const Level level(*this);
    skip_blanks();
    const std::size_t at = at_;
    if (take("-")) {
      Expression made;
      made.kind = Kind::kNegate;
      made.column = at + 1;
      made.children.push_back(unary());
      return made;
    }
    if (take("(")) {
      Expression inner = comparison();
      expect(")");
      return inner;
    }
    if (at < text_.size() && is_digit(text_[at])) return number();
    if (at < text_.size() && (is_name_start(text_[at]) || text_[at] == '"')) return name();
    fail(at, fmt::format("needs a name, a number or '(', has {}", here()));
  }

  Expression number() {
    Expression made;
    made.column = at_ + 1;
    const char *start = text_.data() + at_, *end = text_.data() + text_.size();
    std::from_chars_result result{};
    if (text_.compare(at_, 2, "0x") == 0) {
      std::uint64_t bits = 0;
      result = std::from_chars(start + 2, end, bits, 16);
      made.number = static_cast<double>(bits);
    } else {
      result = std::from_chars(start, end, made.number);
    }
    const bool is_valid = result.ec == std::errc{} && std::isfinite(made.number);
    if (!is_valid || (result.ptr != end && is_name(*result.ptr))) fail(at_, "is no number");
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    return made;
  }

  Expression name() {
    Expression made;
    made.kind = Kind::kName;
    made.column = at_ + 1;
    const bool is_quoted = text_[at_] == '"';
    made.name = is_quoted ? quoted_name() : plain_name();
    const std::size_t after = at_;
    if (!is_quoted && take("(")) return call(std::move(made));
    at_ = after;
    if (side_ == Side::kRtl && take("[")) made.slice = slice();
    return made;
  }

  std::string quoted_name() {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string::npos) fail(at_, "a name without a closing '\"'");
    if (end == at_ + 1) fail(at_, "a name is empty");
    std::string name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return name;
  }

  // A number in brackets belongs to the name if a dot or another bracket follows, as in bank[3].hit.
  std::string plain_name() {
    const std::size_t start = at_;
    for (;;) {
      while (at_ < text_.size() && is_name(text_[at_])) ++at_;
      if (side_ != Side::kRtl || at_ >= text_.size() || text_[at_] != '[') break;
      const std::size_t close = text_.find_first_not_of("0123456789", at_ + 1);
      if (close == std::string::npos || close == at_ + 1 || text_[close] != ']') break;
      const char follows = close + 1 < text_.size() ? text_[close + 1] : ' ';
      if (follows != '.' && follows != '[') break;
      at_ = close + 1;
    }
    return text_.substr(start, at_ - start);
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
    const char *start = text_.data() + at_, *end = text_.data() + text_.size();
    const auto result = std::from_chars(start, end, value);
    if (result.ec != std::errc{}) fail(at_, fmt::format("needs the number of a bit, has {}", here()));
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    return value;
  }

  Expression call(Expression made) {
    const std::vector<std::string>& known = functions_of(side_);
    if (std::find(known.begin(), known.end(), made.name) == known.end()) {
      const std::string nearest = config::nearest_name(made.name, known);
      fail(made.column - 1, fmt::format("no function '{}'; {}", made.name,
                                        nearest.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                                                        : fmt::format("did you mean '{}'?", nearest)));
    }
    if (side_ == Side::kModel) return pattern(std::move(made));
    if (in_call_) fail(made.column - 1, fmt::format("{}() within a function", made.name));
    made.kind = Kind::kCall;
    in_call_ = true;
    made.children.push_back(comparison());
    in_call_ = false;
    expect(")");
    return made;
  }

  Expression pattern(Expression made) {
    skip_blanks();
    const std::size_t close = text_.find(')', at_);
    if (close == std::string::npos) fail(text_.size(), "needs ')', has the end");
    std::size_t end = close;
    while (end > at_ && text_[end - 1] == ' ') --end;
    if (end == at_) fail(at_, "needs a pattern of paths, has ')'");
    made.kind = Kind::kPattern;
    made.name = text_.substr(at_, end - at_);
    at_ = close + 1;
    return made;
  }

  const std::string& text_;
  Side side_;
  std::size_t at_ = 0;
  int level_ = 0;
  bool in_call_ = false;
};

}  // namespace

ExpressionError::ExpressionError(std::size_t column, const std::string& message)
    : std::runtime_error(fmt::format("column {} of the expression: {}", column, message)) {}

Expression parse_expression(const std::string& text, Side side) {
  return Parser(text, side).parse();
}

std::optional<double> apply(Expression::Kind kind, double left, double right) {
  switch (kind) {
    case Kind::kAdd:
      return left + right;
    case Kind::kSubtract:
      return left - right;
    case Kind::kMultiply:
      return left * right;
    case Kind::kDivide:
      if (right == 0) return std::nullopt;
      return left / right;
    case Kind::kLess:
      return left < right ? 1 : 0;
    case Kind::kLessOrEqual:
      return left <= right ? 1 : 0;
    case Kind::kGreater:
      return left > right ? 1 : 0;
    case Kind::kGreaterOrEqual:
      return left >= right ? 1 : 0;
    case Kind::kEqual:
      return left == right ? 1 : 0;
    default:
      return left != right ? 1 : 0;
  }
}

}  // namespace heddle::correlate
