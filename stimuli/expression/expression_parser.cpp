#include "stimuli/expression/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"

namespace heddle {

namespace {

constexpr std::size_t kMostDepth = 64;
constexpr std::size_t kMostText = 4096;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '$';
}

struct NamedUnit {
  std::string_view name;
  std::int64_t factor;
};
constexpr std::array<NamedUnit, 4> kSizeUnits = {{{"B", 1},
                                                  {"KiB", std::int64_t{1} << 10},
                                                  {"MiB", std::int64_t{1} << 20},
                                                  {"GiB", std::int64_t{1} << 30}}};
constexpr std::array<NamedUnit, 5> kTimeUnits = {
    {{"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", 1000000000000}}};

}  // namespace

ExpressionParser::ExpressionParser(const std::string& text, const Scope& scope)
    : ExpressionReader(text, kMostDepth), whole_text_(text), scope_(scope) {}

Expression ExpressionParser::read() {
  if (text().size() > kMostText) throw NumberError(fmt::format("longer than {} bytes", kMostText));
  read_all();
  Expression expression;
  expression.text_ = whole_text_;
  expression.nodes_ = std::move(nodes_);
  if (expression.is_constant()) {
    const Number value = expression.constant();
    expression.nodes_ = {{Kind::kNumber, {}, value, {}, false}};
  }
  return expression;
}

bool ExpressionParser::operand() {
  if (is_digit(next()))
    number();
  else if (is_letter(next()))
    name();
  else
    return false;
  return true;
}

void ExpressionParser::number() {
  const char* const first = text().data() + at();
  const char* const last = text().data() + text().size();
  const bool hex = last - first > 1 && first[0] == '0' && first[1] == 'x';
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(hex ? first + 2 : first, last, whole, hex ? 16 : 10);
  const bool real = !hex && end != last && (*end == '.' || *end == 'e' || *end == 'E');
  if (real) {
    double value = 0;
    const auto [real_end, real_error] = std::from_chars(first, last, value);
    move_to(static_cast<std::size_t>(real_end - text().data()));
    if (real_error != std::errc{}) throw NumberError("a number too large for a real");
    Number number = value;
    const bool is_time = take_unit(number);
    push(number, is_time);
  } else {
    move_to(static_cast<std::size_t>(end - text().data()));
    if (error == std::errc::result_out_of_range) throw NumberError("a number too large for 64 bits");
    if (error != std::errc{}) refuse("a number");
    Number number = whole;
    const bool is_time = take_unit(number);
    push(number, is_time);
  }
  if (!at_end() && is_name(next())) refuse("an operator");
}

// Multiplies the value by the unit that stands here, if there is one. Returns whether it is a unit of time.
bool ExpressionParser::take_unit(Number& value) {
  std::size_t end = at();
  while (end < text().size() && is_letter(text()[end])) ++end;
  const std::string_view name = text().substr(at(), end - at());
  const auto named = [&](const NamedUnit& unit) { return unit.name == name; };
  const auto* const time = std::find_if(kTimeUnits.begin(), kTimeUnits.end(), named);
  const bool is_time = scope_.has_times && time != kTimeUnits.end();
  const auto* const size = std::find_if(kSizeUnits.begin(), kSizeUnits.end(), named);
  const bool is_size = !is_time && is_whole(value) && size != kSizeUnits.end();
  if (!is_time && !is_size) return false;
  move_to(end);
  value = apply(Operator::kMultiply, value, is_time ? time->factor : size->factor);
  return is_time;
}

void ExpressionParser::name() {
  const std::size_t first = at();
  while (!at_end() && is_name(next())) move_to(at() + 1);
  const std::string name(text().substr(first, at() - first));
  if (take("(")) return function(name);
  if (take("[")) return word(name);
  if (const auto found = scope_.constants.find(name); found != scope_.constants.end())
    return push(found->second, false);
  const auto variable = std::find(scope_.variables.begin(), scope_.variables.end(), name);
  if (variable != scope_.variables.end()) {
    const auto number = static_cast<std::uint32_t>(variable - scope_.variables.begin());
    nodes_.push_back({Kind::kVariable, {}, {}, {number, 0}, false});
    return;
  }
  throw NumberError(fmt::format("there is no '{}' here{}", name, config::suggestion(name, scope_.names())));
}

void ExpressionParser::function(const std::string& name) {
  const Operator op = name == "min" ? Operator::kMin : name == "max" ? Operator::kMax : Operator::kCeil;
  if (name != "min" && name != "max" && name != "ceil")
    throw NumberError(fmt::format("there is no function '{}'; known: min, max, ceil", name));
  const std::size_t place = at();
  comparison();
  expect(",");
  comparison();
  expect(")");
  push(op, place);
}

void ExpressionParser::word(const std::string& name) {
  const auto found = std::find_if(scope_.buffers.begin(), scope_.buffers.end(),
                                  [&](const Scope::Buffer& buffer) { return buffer.name == name; });
  if (found == scope_.buffers.end()) throw NumberError(fmt::format("there is no buffer '{}' here", name));
  const std::size_t first = nodes_.size();
  comparison();
  expect("]");
  Expression index;
  index.nodes_.assign(nodes_.begin() + static_cast<std::ptrdiff_t>(first), nodes_.end());
  nodes_.resize(first);
  if (!index.is_constant()) throw NumberError(fmt::format("which word of '{}' must not change", name));
  const std::int64_t at = whole_within(index.constant(), 0, static_cast<std::int64_t>(found->count) - 1);
  nodes_.push_back(
      {Kind::kWord,
       {},
       {},
       {static_cast<std::uint32_t>(found - scope_.buffers.begin()), static_cast<std::uint64_t>(at)},
       false});
}

void ExpressionParser::push(const Number& number, bool is_time) {
  nodes_.push_back({Kind::kNumber, {}, number, {}, is_time});
}

void ExpressionParser::push(Operator op, std::size_t) {
  nodes_.push_back({Kind::kOperator, op, {}, {}, false});
}

void ExpressionParser::refuse_next(Wanted wanted, std::string_view sign) const {
  switch (wanted) {
    case Wanted::kOperand:
      refuse("a number or a name");
    case Wanted::kOperator:
      refuse("an operator");
    case Wanted::kSign:
      break;
  }
  refuse(fmt::format("'{}'", sign));
}

void ExpressionParser::refuse_depth() const {
  throw NumberError(fmt::format("nested deeper than {}", kMostDepth));
}

void ExpressionParser::refuse(const std::string& wanted) const {
  if (at_end()) throw NumberError(fmt::format("{} is missing at the end", wanted));
  throw NumberError(fmt::format("{} is missing before '{}'", wanted, next()));
}

}  // namespace heddle
