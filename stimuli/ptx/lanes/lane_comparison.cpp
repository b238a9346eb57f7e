// Comparisons and tests: setp, set, testp.

#include <cmath>

#include "stimuli/ptx/lanes/lane_half.h"

namespace heddle::ptx::lanes {
namespace {

struct Equal {
  template <typename T>
  HEDDLE_LANE_INLINE static bool of(T a, T b) {
    return a == b;
  }
};
struct NotEqual {  // true for unordered numbers
  template <typename T>
  HEDDLE_LANE_INLINE static bool of(T a, T b) {
    return a != b;
  }
};
struct Less {
  template <typename T>
  HEDDLE_LANE_INLINE static bool of(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <typename T>
  HEDDLE_LANE_INLINE static bool of(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <typename T>
  HEDDLE_LANE_INLINE static bool of(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <typename T>
  HEDDLE_LANE_INLINE static bool of(T a, T b) {
    return a >= b;
  }
};
struct Ordered {
  template <typename T>
  HEDDLE_LANE_INLINE static bool of(T a, T b) {
    return (a <= b) | (a > b);
  }
};
struct Different {  // false for unordered numbers
  template <typename T>
  HEDDLE_LANE_INLINE static bool of(T a, T b) {
    return (a < b) | (a > b);
  }
};
template <typename Kind>
struct Inverse {
  template <typename T>
  HEDDLE_LANE_INLINE static bool of(T a, T b) {
    return !Kind::of(a, b);
  }
};

using lanes::flushed;

// The value of a number of 16 bits, which f32 holds.
template <typename Format>
struct Narrow {
  explicit Narrow(std::uint32_t bits) : value(static_cast<float>(Format::of(bits & 0xffffU))) {}
  operator float() const { return value; }  // NOLINT: it is that number
  float value;
};
template <typename Format>
HEDDLE_LANE_INLINE Narrow<Format> flushed(Narrow<Format> number) {
  return Narrow<Format>(flushed_half<Format>(Format::bits(number.value, FE_TONEAREST), true));
}

template <typename Kind, typename T, bool kFlush>
HEDDLE_LANE_INLINE std::uint32_t compared(const LaneOperands& lanes) {
  const auto* const a = static_cast<const Storage<T>*>(lanes.sources[0]);
  const auto* const b = static_cast<const Storage<T>*>(lanes.sources[1]);
  return mask_of([=](std::size_t lane) {
    if constexpr (kFlush)
      return Kind::of(flushed(loaded<T>(a[lane])), flushed(loaded<T>(b[lane])));
    else
      return Kind::of(loaded<T>(a[lane]), loaded<T>(b[lane]));
  });
}

// The constants combine a comparison with a predicate by masks. Let q be the predicate ^ [0]: a true
// comparison gives (q & [1]) ^ [2], and a false one gives q & [3]. For set, [4] is the value of true.
using Constants = decltype(LaneOperation::constants);
constexpr std::uint32_t kAll = kEveryLane;

Constants combination_constants(const Statement& statement, const Operand* operands) {
  const bool combined = statement.combination != Combination::kNone;
  const Operand& last = operands[statement.operands - 1];
  const std::uint64_t inverse = combined && last.negated ? kAll : 0;
  const std::uint64_t truth = statement.type == Type::kF32 ? 0x3f800000U : kAll;
  switch (statement.combination) {
    case Combination::kAnd:
      return {inverse, kAll, 0, 0, truth};
    case Combination::kOr:
      return {inverse, 0, kAll, kAll, truth};
    case Combination::kXor:
      return {inverse, kAll, kAll, kAll, truth};
    case Combination::kNone:
      break;
  }
  return {0, 0, kAll, 0, truth};
}

HEDDLE_LANE_INLINE std::uint32_t combined(const Constants& constants, const LaneOperands& lanes,
                                          std::uint32_t result) {
  const auto at = [&constants](std::size_t index) { return static_cast<std::uint32_t>(constants[index]); };
  const std::uint32_t other = (lanes.sources[2] != nullptr ? mask_at(lanes.sources[2]) : 0) ^ at(0);
  return (result & ((other & at(1)) ^ at(2))) | (~result & other & at(3));
}

template <typename Kind, typename T, bool kFlush>
void set_predicate(const LaneOperation&, const LaneOperands& lanes) {
  set_mask(lanes, lanes.destinations[0], compared<Kind, T, kFlush>(lanes));
}
template <typename Kind, typename T, bool kFlush>
void set_predicates(const LaneOperation& operation, const LaneOperands& lanes) {
  const std::uint32_t result = compared<Kind, T, kFlush>(lanes);
  const std::uint32_t first = combined(operation.constants, lanes, result);
  const std::uint32_t second = combined(operation.constants, lanes, ~result);
  set_mask(lanes, lanes.destinations[0], first);
  set_mask(lanes, lanes.destinations[1], second);
}
template <typename Kind, typename T, bool kFlush>
void set_value(const LaneOperation& operation, const LaneOperands& lanes) {
  const std::uint32_t result = combined(operation.constants, lanes, compared<Kind, T, kFlush>(lanes));
  const auto truth = static_cast<std::uint32_t>(operation.constants[4]);
  each_lane<std::uint32_t>(lanes.active, lanes.destinations[0],
                           [=](std::size_t lane) { return (result & kBits[lane]) != 0 ? truth : 0U; });
}

enum class Result { kPredicate, kPredicates, kValue };

template <typename Kind, typename T, bool kFlush = false>
LaneOperation::Function function_of(Result result) {
  switch (result) {
    case Result::kPredicate:
      return set_predicate<Kind, T, kFlush>;
    case Result::kPredicates:
      return set_predicates<Kind, T, kFlush>;
    case Result::kValue:
      break;
  }
  return set_value<Kind, T, kFlush>;
}

template <typename T>
LaneOperation::Function equality(Result result, bool equal) {
  return equal ? function_of<Equal, T>(result) : function_of<NotEqual, T>(result);
}

template <typename T>
LaneOperation::Function integer_comparison(Result result, Comparison comparison) {
  using Bits = std::make_unsigned_t<T>;
  switch (comparison) {
    case Comparison::kEq:
    case Comparison::kNe:
      return equality<Bits>(result, comparison == Comparison::kEq);
    case Comparison::kLt:
      return function_of<Less, T>(result);
    case Comparison::kLe:
      return function_of<LessEqual, T>(result);
    case Comparison::kGt:
      return function_of<Greater, T>(result);
    case Comparison::kGe:
      return function_of<GreaterEqual, T>(result);
    case Comparison::kLo:
      return function_of<Less, Bits>(result);
    case Comparison::kLs:
      return function_of<LessEqual, Bits>(result);
    case Comparison::kHi:
      return function_of<Greater, Bits>(result);
    case Comparison::kHs:
      return function_of<GreaterEqual, Bits>(result);
    default:
      return nullptr;
  }
}

template <typename T, bool kFlush>
LaneOperation::Function float_comparison(Result result, Comparison comparison) {
  switch (comparison) {
    case Comparison::kEq:
      return function_of<Equal, T, kFlush>(result);
    case Comparison::kNe:
      return function_of<Different, T, kFlush>(result);
    case Comparison::kLt:
      return function_of<Less, T, kFlush>(result);
    case Comparison::kLe:
      return function_of<LessEqual, T, kFlush>(result);
    case Comparison::kGt:
      return function_of<Greater, T, kFlush>(result);
    case Comparison::kGe:
      return function_of<GreaterEqual, T, kFlush>(result);
    case Comparison::kEqu:
      return function_of<Inverse<Different>, T, kFlush>(result);
    case Comparison::kNeu:
      return function_of<NotEqual, T, kFlush>(result);
    case Comparison::kLtu:
      return function_of<Inverse<GreaterEqual>, T, kFlush>(result);
    case Comparison::kLeu:
      return function_of<Inverse<Greater>, T, kFlush>(result);
    case Comparison::kGtu:
      return function_of<Inverse<LessEqual>, T, kFlush>(result);
    case Comparison::kGeu:
      return function_of<Inverse<Less>, T, kFlush>(result);
    case Comparison::kNum:
      return function_of<Ordered, T, false>(result);
    case Comparison::kNan:
      return function_of<Inverse<Ordered>, T, false>(result);
    default:
      return nullptr;
  }
}

LaneOperation::Function comparison_function(Result result, Type type, const Statement& statement) {
  const Comparison comparison = statement.comparison;
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return integer_comparison<std::uint16_t>(result, comparison);
    case Type::kS16:
      return integer_comparison<std::int16_t>(result, comparison);
    case Type::kB32:
    case Type::kU32:
      return integer_comparison<std::uint32_t>(result, comparison);
    case Type::kS32:
      return integer_comparison<std::int32_t>(result, comparison);
    case Type::kB64:
    case Type::kU64:
      return integer_comparison<std::uint64_t>(result, comparison);
    case Type::kS64:
      return integer_comparison<std::int64_t>(result, comparison);
    case Type::kF32:
      return statement.has(kFtz) ? float_comparison<float, true>(result, comparison)
                                 : float_comparison<float, false>(result, comparison);
    case Type::kF64:
      return float_comparison<double, false>(result, comparison);
    case Type::kF16:
      return statement.has(kFtz) ? float_comparison<Narrow<HalfFormat>, true>(result, comparison)
                                 : float_comparison<Narrow<HalfFormat>, false>(result, comparison);
    case Type::kBf16:
      return float_comparison<Narrow<BfloatFormat>, false>(result, comparison);
    default:
      return nullptr;
  }
}

// Tests whether the magnitude lies in one of two ranges: constants 0 to 1 and constants 2 to 3, both
// inclusive.
template <typename Bits>
void test(const LaneOperation& operation, const LaneOperands& lanes) {
  const auto* const source = static_cast<const Bits*>(lanes.sources[0]);
  std::array<Bits, 4> ends;
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = static_cast<Bits>(operation.constants[i]);
  const std::uint32_t result = mask_of([=](std::size_t lane) {
    const Bits magnitude = static_cast<Bits>(source[lane] << 1U) >> 1U;
    const bool first = (magnitude >= ends[0]) & (magnitude <= ends[1]);
    return first | ((magnitude >= ends[2]) & (magnitude <= ends[3]));
  });
  set_mask(lanes, lanes.destinations[0], result);
}

// testp counts zeros as normal.
Constants test_constants(Variant variant, std::uint64_t least_normal, std::uint64_t infinity) {
  const auto alone = [](std::uint64_t first, std::uint64_t last) {
    return Constants{first, last, first, last};
  };
  switch (variant) {
    case Variant::kFinite:
      return alone(0, infinity - 1);
    case Variant::kInfinite:
      return alone(infinity, infinity);
    case Variant::kNumber:
      return alone(0, infinity);
    case Variant::kNotANumber:
      return alone(infinity + 1, ~std::uint64_t{0});
    case Variant::kSubnormal:
      return alone(1, least_normal - 1);
    default:
      return Constants{0, 0, least_normal, infinity - 1};
  }
}

LaneOperation test_operation(const Statement& statement) {
  LaneOperation operation;
  const bool wide = statement.type == Type::kF64;
  operation.function = wide ? test<std::uint64_t> : test<std::uint32_t>;
  operation.constants = wide ? test_constants(statement.variant, std::uint64_t{1} << 52U, 0x7ffULL << 52U)
                             : test_constants(statement.variant, 1U << 23U, 0xffU << 23U);
  return operation;
}

}  // namespace

LaneOperation comparison_operation(const Statement& statement, const Operand* operands) {
  LaneOperation operation;
  if (statement.opcode == Opcode::kTestp) return test_operation(statement);
  if (statement.opcode == Opcode::kSet) {
    operation.function = comparison_function(Result::kValue, statement.source_type, statement);
  } else if (statement.opcode == Opcode::kSetp) {
    const bool one = statement.combination == Combination::kNone && operands[1].kind == OperandKind::kNone;
    operation.function =
        comparison_function(one ? Result::kPredicate : Result::kPredicates, statement.type, statement);
  }
  if (operation) operation.constants = combination_constants(statement, operands);
  return operation;
}

}  // namespace heddle::ptx::lanes
