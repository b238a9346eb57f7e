#include "stimuli/ptx/text/constant.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "models/core/config/config_units.h"
#include "models/core/kernel/instruction.h"

namespace heddle::ptx {
namespace {

constexpr int kMostDepth = 64;
constexpr std::uint64_t kSingleSign = std::uint64_t{1} << 31U;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;

double single_as_double(std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &low, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

struct ConstantReader::Binary {
  std::string_view sign;
  int priority;
};

const ConstantReader::Binary* ConstantReader::binary_at(const Token& token) {
  static constexpr Binary kAll[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                                    {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                                    {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
  if (token.kind != TokenKind::kSign) return nullptr;
  for (const Binary& known : kAll)
    if (known.sign == token.text) return &known;
  return nullptr;
}

bool ConstantReader::starts() const {
  const Token& token = lexer_.peek();
  switch (token.kind) {
    case TokenKind::kInteger:
    case TokenKind::kSingle:
    case TokenKind::kDouble:
      return true;
    case TokenKind::kName:
      return token.text == "WARP_SZ";
    case TokenKind::kSign:
      return token.is('-') || token.is('+') || token.is('~') || token.is('(');
    default:
      return false;
  }
}

Constant ConstantReader::expression() {
  depth_ = 0;
  return conditional();
}

Constant ConstantReader::conditional() {
  const Constant condition = binary(1);
  if (!lexer_.peek().is('?')) return condition;
  lexer_.take();
  if (++depth_ > kMostDepth) problems_.refuse(condition.place, "an expression nested too deep");
  const Constant yes = conditional();
  if (!lexer_.take().is(':')) problems_.refuse(condition.place, "expected ':' of this '?'");
  const Constant no = conditional();
  --depth_;
  return condition.value != 0 ? yes : no;
}

Constant ConstantReader::binary(int least_priority) {
  Constant left = unary();
  while (const Binary* operation = binary_at(lexer_.peek())) {
    if (operation->priority < least_priority) break;
    lexer_.take();
    const Constant right = binary(operation->priority + 1);
    left = combine(*operation, left, right);
  }
  return left;
}

Constant ConstantReader::combine(const Binary& operation, const Constant& left, const Constant& right) {
  if (left.kind != Constant::Kind::kInteger || right.kind != Constant::Kind::kInteger)
    problems_.refuse(left.place, "an expression of floating-point numbers is not supported");
  Constant result = left;
  result.is_unsigned = left.is_unsigned || right.is_unsigned;
  const std::uint64_t a = left.value;
  const std::uint64_t b = right.value;
  const auto sa = static_cast<std::int64_t>(a);
  const auto sb = static_cast<std::int64_t>(b);
  const bool wide = result.is_unsigned;
  const std::string_view sign = operation.sign;
  const bool divides = sign == "/" || sign == "%";
  if (divides && (b == 0 || (!wide && sa == std::numeric_limits<std::int64_t>::min() && sb == -1)))
    problems_.refuse(right.place, "a division that has no result");
  if ((sign == "<<" || sign == ">>") && b >= 64) problems_.refuse(right.place, "a shift by 64 bits or more");
  if (sign == "+") result.value = a + b;
  if (sign == "-") result.value = a - b;
  if (sign == "*") result.value = a * b;
  if (sign == "/") result.value = wide ? a / b : static_cast<std::uint64_t>(sa / sb);
  if (sign == "%") result.value = wide ? a % b : static_cast<std::uint64_t>(sa % sb);
  if (sign == "&") result.value = a & b;
  if (sign == "|") result.value = a | b;
  if (sign == "^") result.value = a ^ b;
  if (sign == "<<") result.value = a << b;
  if (sign == ">>") result.value = left.is_unsigned ? a >> b : static_cast<std::uint64_t>(sa >> b);
  if (operation.priority == 6 || operation.priority == 7 || operation.priority <= 2) {
    const bool less = wide ? a < b : sa < sb;
    result.is_unsigned = false;
    result.value = sign == "=="   ? a == b
                   : sign == "!=" ? a != b
                   : sign == "<"  ? less
                   : sign == ">"  ? !less && a != b
                   : sign == "<=" ? less || a == b
                   : sign == ">=" ? !less
                   : sign == "&&" ? a != 0 && b != 0
                                  : a != 0 || b != 0;
  }
  return result;
}

Constant ConstantReader::parenthesised() {
  lexer_.take();
  if (lexer_.peek().kind == TokenKind::kDotted && lexer_.peek(1).is(')')) {  // a cast such as (.s64)
    const Token cast = lexer_.take();
    lexer_.take();
    if (cast.text != "s64" && cast.text != "u64") problems_.refuse(cast.place, "a cast is .s64 or .u64");
    Constant result = unary();
    if (result.kind != Constant::Kind::kInteger) problems_.refuse(cast.place, "a cast of floating point");
    result.is_unsigned = cast.text == "u64";
    return result;
  }
  const Constant inner = conditional();
  const Token end = lexer_.take();
  if (!end.is(')')) problems_.refuse(end.place, "expected ')'");
  return inner;
}

Constant ConstantReader::unary() {
  if (++depth_ > kMostDepth) problems_.refuse(lexer_.peek().place, "an expression nested too deep");
  Constant result;
  if (lexer_.peek().is('(')) {
    result = parenthesised();
    --depth_;
    return result;
  }
  const Token token = lexer_.take();
  result.place = token.place;
  result.value = token.value;
  result.is_unsigned = token.unsigned_suffix || token.value >= kSign;
  if (token.kind == TokenKind::kName && token.text == "WARP_SZ") {
    result.value = kLanes;
  } else if (token.is('-') || token.is('+') || token.is('~') || token.is('!')) {
    result = unary();
    result.place = token.place;
    const bool integer = result.kind == Constant::Kind::kInteger;
    if (!integer && !token.is('-') && !token.is('+'))
      problems_.refuse(token.place, "a bitwise operation on floating point");
    if (token.is('~')) result.value = ~result.value;
    if (token.is('!')) result.value = result.value == 0;
    if (token.is('-'))
      result.value = integer                                  ? 0 - result.value
                     : result.kind == Constant::Kind::kSingle ? result.value ^ kSingleSign
                                                              : result.value ^ kSign;
  } else if (token.kind == TokenKind::kSingle) {
    result.kind = Constant::Kind::kSingle;
  } else if (token.kind == TokenKind::kDouble) {
    result.kind = Constant::Kind::kDouble;
  } else if (token.kind != TokenKind::kInteger) {
    problems_.refuse(token.place,
                     fmt::format("expected a number, found '{}'", config::detail::shown(token.text)));
  }
  --depth_;
  return result;
}

std::uint64_t bits_as(Type type, const Constant& constant, Problems& problems) {
  const std::uint32_t bits = bits_of(type);
  const bool is_bits = class_of(type) == TypeClass::kBits;
  switch (constant.kind) {
    case Constant::Kind::kSingle:
      if (type == Type::kF32 || (is_bits && bits == 32)) return constant.value;
      if (type == Type::kF64) {
        const double value = single_as_double(constant.value);
        std::uint64_t wide = 0;
        std::memcpy(&wide, &value, sizeof wide);
        return wide;
      }
      break;
    case Constant::Kind::kDouble:
      if (type == Type::kF64 || (is_bits && bits == 64)) return constant.value;
      if (type == Type::kF32) {
        double wide = 0;
        std::memcpy(&wide, &constant.value, sizeof wide);
        const float value = static_cast<float>(wide);
        std::uint32_t low = 0;
        std::memcpy(&low, &value, sizeof low);
        return low;
      }
      break;
    case Constant::Kind::kInteger: {
      if (type == Type::kPred) return constant.value != 0;
      if (is_float(type) || class_of(type) == TypeClass::kHandle || type == Type::kNone) break;
      if (bits == 64) return constant.value;
      const std::uint64_t low = constant.value & (~std::uint64_t{0} >> (64 - bits));
      const bool minus = is_signed(type) && (low >> (bits - 1) & 1U) != 0;
      return minus ? low | ~std::uint64_t{0} << bits : low;
    }
  }
  problems.refuse(constant.place, fmt::format("this is no number of .{}", name_of(type)));
}

}  // namespace heddle::ptx
