// cvt from floating point to integers and to floating point. f64 holds every source exactly.

#include <algorithm>
#include <cmath>
#include <limits>

#include "stimuli/ptx/lanes/lane_conversion.h"
#include "stimuli/ptx/lanes/lane_float.h"

namespace heddle::ptx::lanes {

namespace {

// Rounds to a number of 16 bits whose fraction has kFraction bits. Numbers up to 2^kLeast are multiples of
// one step; above, each power of two has 2^kFraction steps.
template <int kFraction, int kLeast>
std::uint32_t narrow_of(double value, int mode) {
  constexpr std::uint32_t kInfinity = 0x7fffU & ~((1U << kFraction) - 1);
  const auto bits = bits_as<std::uint64_t>(value);
  const bool negative = (bits >> 63U) != 0;
  const std::uint32_t sign = negative ? 0x8000U : 0U;
  if (value != value) return 0x7fff;
  if ((bits << 1U) == 0) return sign;
  const int exponent = static_cast<int>((bits >> 52U) & 0x7ffU) - 1023;
  if (exponent == 1024) return sign | kInfinity;
  const int scale = std::max(exponent, kLeast);
  const auto shift = static_cast<unsigned>(std::min(52 - kFraction + scale - exponent, 60));
  const std::uint64_t digits = (bits & ((1ULL << 52U) - 1)) | (1ULL << 52U);
  const std::uint64_t kept = digits >> shift;
  const std::uint64_t rest = digits & ((1ULL << shift) - 1);
  const std::uint64_t middle = 1ULL << (shift - 1);
  const bool outward = (mode == FE_UPWARD && !negative) || (mode == FE_DOWNWARD && negative);
  const bool nearest = mode == FE_TONEAREST;
  const bool nearer = rest > middle || (rest == middle && (kept & 1U) != 0);
  const bool up = nearest ? nearer : outward && rest != 0;
  const std::uint64_t result = (static_cast<std::uint64_t>(scale - kLeast) << kFraction) + kept + up;
  if (result < kInfinity) return sign | static_cast<std::uint32_t>(result);
  return sign | (nearest || outward ? kInfinity : kInfinity - 1);
}

}  // namespace

std::uint32_t half_of(double value, int mode) {
  return narrow_of<10, -14>(value, mode);
}

std::uint32_t bfloat_of(double value, int mode) {
  return narrow_of<7, -126>(value, mode);
}

double double_of_bfloat(std::uint32_t bits) {
  return bits_as<float>(bits << 16U);
}

double double_of_half(std::uint32_t half) {
  const std::uint64_t fraction = half & 0x3ffU;
  const std::uint64_t exponent = (half >> 10U) & 0x1fU;
  const std::uint64_t sign = std::uint64_t{half & 0x8000U} << 48U;
  if (exponent == 0) {
    const double magnitude = static_cast<double>(fraction) * 0x1p-24;
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent < 31) return bits_as<double>(sign | ((exponent + 1008) << 52U) | (fraction << 42U));
  const std::uint64_t quiet = fraction != 0 ? 1ULL << 51U : 0;
  return bits_as<double>(sign | (0x7ffULL << 52U) | quiet | (fraction << 42U));
}

namespace {

struct Half {
  using Bits = std::uint32_t;
  HEDDLE_LANE_INLINE static double of(Bits bits) { return double_of_half(bits & 0xffffU); }
};
template <bool kFlush>
struct Single {
  using Bits = std::uint32_t;
  HEDDLE_LANE_INLINE static double of(Bits bits) { return operand<kFlush>(bits_as<float>(bits)); }
};
struct Double {
  using Bits = std::uint64_t;
  HEDDLE_LANE_INLINE static double of(Bits bits) { return bits_as<double>(bits); }
};

struct Nearest {
  HEDDLE_LANE_INLINE static double of(double value) { return std::rint(value); }
};
struct TowardZero {
  HEDDLE_LANE_INLINE static double of(double value) { return std::trunc(value); }
};
struct Downward {
  HEDDLE_LANE_INLINE static double of(double value) { return std::floor(value); }
};
struct Upward {
  HEDDLE_LANE_INLINE static double of(double value) { return std::ceil(value); }
};
struct Unrounded {
  HEDDLE_LANE_INLINE static double of(double value) { return value; }
};

// constants: the least and the greatest result, the result for a NaN, and the bits of the register.
template <typename To, typename Value, typename From, typename Round>
void to_narrow_integer(const LaneOperation& operation, const LaneOperands& lanes) {
  const auto least = bits_as<double>(operation.constants[0]);
  const auto most = bits_as<double>(operation.constants[1]);
  const auto none = static_cast<To>(operation.constants[2]);
  const auto mask = static_cast<To>(operation.constants[3]);
  map<To, typename From::Bits>(lanes, [=](typename From::Bits bits) {
    const double value = Round::of(From::of(bits));
    const double above = value > least ? value : least;
    const auto integer = static_cast<Value>(above < most ? above : most);
    return static_cast<To>((value != value ? none : static_cast<To>(integer)) & mask);
  });
}

template <typename To, typename From, typename Round>
void to_wide_integer(const LaneOperation& operation, const LaneOperands& lanes) {
  constexpr double kEnd = std::is_signed_v<To> ? 0x1p63 : 0x1p64;
  constexpr double kLeast = std::is_signed_v<To> ? -0x1p63 : 0;
  using Limits = std::numeric_limits<To>;
  const auto none = static_cast<To>(operation.constants[2]);
  map<To, typename From::Bits>(lanes, [none](typename From::Bits bits) {
    const double value = Round::of(From::of(bits));
    if (value != value) return none;
    if (value >= kEnd) return Limits::max();
    return value <= kLeast ? Limits::min() : static_cast<To>(value);
  });
}

template <typename From, typename Round>
LaneOperation::Function integer_from(Type type, bool wide) {
  using Narrow = std::uint32_t;
  using Wide = std::uint64_t;
  switch (type) {
    case Type::kS64:
      return to_wide_integer<std::int64_t, From, Round>;
    case Type::kU64:
      return to_wide_integer<std::uint64_t, From, Round>;
    case Type::kU32:
      return wide ? to_narrow_integer<Wide, std::int64_t, From, Round>
                  : to_narrow_integer<Narrow, std::int64_t, From, Round>;
    default:
      return wide ? to_narrow_integer<Wide, std::int32_t, From, Round>
                  : to_narrow_integer<Narrow, std::int32_t, From, Round>;
  }
}

template <typename From>
LaneOperation::Function rounded_integer_from(Rounding rounding, Type type, bool wide) {
  switch (rounding) {
    case Rounding::kRzi:
      return integer_from<From, TowardZero>(type, wide);
    case Rounding::kRmi:
      return integer_from<From, Downward>(type, wide);
    case Rounding::kRpi:
      return integer_from<From, Upward>(type, wide);
    default:
      return integer_from<From, Nearest>(type, wide);
  }
}

LaneOperation to_integer(const Statement& statement, const Operand* operands) {
  const std::uint32_t bits = bits_of(statement.type);
  const std::uint32_t register_bits = operand_bits(operands[0], statement.type);
  const bool has_sign = is_signed(statement.type);
  const bool wide = register_bits == 64;
  const Rounding rounding = statement.rounding;
  LaneOperation operation;
  if (statement.source_type == Type::kF64)
    operation.function = rounded_integer_from<Double>(rounding, statement.type, wide);
  else if (statement.source_type == Type::kF16)
    operation.function = rounded_integer_from<Half>(rounding, statement.type, wide);
  else if (statement.has(kFtz))
    operation.function = rounded_integer_from<Single<true>>(rounding, statement.type, wide);
  else
    operation.function = rounded_integer_from<Single<false>>(rounding, statement.type, wide);
  const double least = has_sign ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0;
  const double most = std::ldexp(1.0, static_cast<int>(bits) - (has_sign ? 1 : 0)) - 1;
  // A NaN becomes the highest bit of the result if the source or the result has 64 bits, else zero.
  const bool none_is_zero = statement.source_type != Type::kF64 && bits != 64;
  std::uint64_t none = none_is_zero ? 0 : std::uint64_t{1} << (bits - 1);
  if (has_sign) none = ~none + 1;  // sign-extended
  operation.constants = {bits_as<std::uint64_t>(least), bits_as<std::uint64_t>(most), none,
                         mask_of_bits(register_bits)};
  return operation;
}

// kFlush applies to the result.
template <typename To, typename From, typename Round, bool kFlush, bool kSaturate>
void to_float(const LaneOperation& operation, const LaneOperands& lanes) {
  const HostRounding rounding(operation.rounding);
  map<To, typename From::Bits>(lanes, [](typename From::Bits bits) {
    const double value = Round::of(From::of(bits));
    if constexpr (std::is_same_v<To, float> || kSaturate)
      return result<kFlush, kSaturate>(static_cast<To>(value));
    else
      return value;
  });
}
template <typename From, typename Round, bool kSaturate>
void to_half(const LaneOperation& operation, const LaneOperands& lanes) {
  const int mode = operation.rounding;
  map<std::uint32_t, typename From::Bits>(lanes, [mode](typename From::Bits bits) {
    return half_of(result<false, kSaturate>(Round::of(From::of(bits))), mode);
  });
}

template <typename From, typename Round, bool kFlush, bool kSaturate>
LaneOperation::Function float_from(Type type) {
  if (type == Type::kF32) return to_float<float, From, Round, kFlush, kSaturate>;
  if (type == Type::kF64) return to_float<double, From, Round, false, kSaturate>;
  return to_half<From, Round, kSaturate>;
}

template <typename Round, bool kSaturate>
LaneOperation::Function float_function(const Statement& statement) {
  const bool flush = statement.has(kFtz);
  switch (statement.source_type) {
    case Type::kF16:
      return float_from<Half, Round, false, kSaturate>(statement.type);
    case Type::kF32:
      return flush ? float_from<Single<true>, Round, true, kSaturate>(statement.type)
                   : float_from<Single<false>, Round, false, kSaturate>(statement.type);
    default:
      return flush ? float_from<Double, Round, true, kSaturate>(statement.type)
                   : float_from<Double, Round, false, kSaturate>(statement.type);
  }
}

// Rounds to 10 bits behind the point; ties are rounded away from zero.
void to_tf32(const LaneOperation&, const LaneOperands& lanes) {
  constexpr std::uint32_t kHalf = 0x1000;
  constexpr std::uint32_t kKept = 0xffffe000;
  map<std::uint32_t, std::uint32_t>(lanes, [](std::uint32_t bits) {
    const std::uint32_t size = bits & 0x7fffffffU;
    if (size > 0x7f800000U) return 0x7fffffffU;
    return size == 0x7f800000U ? bits : (bits + kHalf) & kKept;
  });
}

template <bool kSaturate>
LaneOperation::Function rounded_float_function(const Statement& statement) {
  switch (statement.rounding) {
    case Rounding::kRni:
      return float_function<Nearest, kSaturate>(statement);
    case Rounding::kRzi:
      return float_function<TowardZero, kSaturate>(statement);
    case Rounding::kRmi:
      return float_function<Downward, kSaturate>(statement);
    case Rounding::kRpi:
      return float_function<Upward, kSaturate>(statement);
    default:
      return float_function<Unrounded, kSaturate>(statement);
  }
}

}  // namespace

LaneOperation float_conversion_operation(const Statement& statement, const Operand* operands) {
  LaneOperation operation;
  if (statement.opcode != Opcode::kCvt || !is_float(statement.source_type)) return operation;
  if (is_packed(statement.type) || statement.type == Type::kBf16 || statement.source_type == Type::kBf16)
    return operation;  // half_operation
  if (!is_float(statement.type)) return to_integer(statement, operands);
  if (statement.type == Type::kTf32) {
    operation.function = to_tf32;
    return operation;
  }
  operation.function = statement.has(kSat) ? rounded_float_function<true>(statement)
                                           : rounded_float_function<false>(statement);
  return operation;
}

}  // namespace heddle::ptx::lanes
