// Floating-point operations that round once, except fma, and operations on signs.

#include "stimuli/ptx/lanes/lane_float.h"

#include <cmath>

namespace heddle::ptx::lanes {
namespace {

struct Add {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return a * b;
  }
};
struct Div {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return a / b;
  }
};
struct Reciprocal {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a) {
    return T{1} / a;
  }
};
struct SquareRoot {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a) {
    return std::sqrt(a);
  }
};

// The result is the number if the other source is a NaN, and -0 is less than +0.
template <bool kGreater>
struct Extreme {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    const Storage<T> x = stored(a);
    const Storage<T> y = stored(b);
    const T same = loaded<T>(kGreater ? x & y : x | y);
    const bool first = kGreater ? a > b : a < b;
    const bool second = kGreater ? a < b : a > b;
    const T ordered = first ? a : (second ? b : same);
    return std::isnan(a) ? b : (std::isnan(b) ? a : ordered);
  }
};

// constants: .ftz, .NaN, whether the sources lose their signs, and .xorsign.
template <bool kGreater>
void extreme(const LaneOperation& operation, const LaneOperands& lanes) {
  const bool flush = operation.constants[0] != 0;
  const bool keep_nan = operation.constants[1] != 0;
  const bool absolute = operation.constants[2] != 0;
  const bool xor_sign = operation.constants[3] != 0;
  const auto value = [=](float a) {
    const float own = flush ? flushed(a) : a;
    return absolute ? std::fabs(own) : own;
  };
  const auto of = [=](float a, float b) {
    if (keep_nan && (std::isnan(a) || std::isnan(b))) return canonical(NAN);
    return Extreme<kGreater>::of(a, b);
  };
  const auto* const third = static_cast<const std::uint32_t*>(lanes.sources[2]);
  const auto* const first = static_cast<const std::uint32_t*>(lanes.sources[0]);
  const auto* const second = static_cast<const std::uint32_t*>(lanes.sources[1]);
  each_lane<std::uint32_t>(lanes.active, lanes.destinations[0], [=](std::size_t lane) {
    float own = of(value(bits_as<float>(first[lane])), value(bits_as<float>(second[lane])));
    if (third != nullptr) own = of(own, value(bits_as<float>(third[lane])));
    const std::uint32_t sign = xor_sign ? (first[lane] ^ second[lane]) & 0x80000000U : 0;
    return bits_as<std::uint32_t>(
        canonical(std::isnan(own) ? own : bits_as<float>(bits_as<std::uint32_t>(own) | sign)));
  });
}

LaneOperation extreme_operation(const Statement& statement) {
  LaneOperation operation;
  const bool xor_sign = statement.has(kXorSign);
  const bool absolute = xor_sign || statement.variant == Variant::kAbsolute;
  operation.function = statement.opcode == Opcode::kMax ? extreme<true> : extreme<false>;
  operation.constants = {statement.has(kFtz), statement.has(kKeepNan), absolute, xor_sign};
  return operation;
}

template <typename Kind>
struct Unary {
  template <typename T, bool kFlush, bool kSaturate>
  static void run(const LaneOperation& operation, const LaneOperands& lanes) {
    const HostRounding rounding(operation.rounding);
    map<T, T>(lanes, [](T a) { return result<kFlush, kSaturate>(Kind::of(operand<kFlush>(a))); });
  }
};
template <typename Kind>
struct Binary {
  template <typename T, bool kFlush, bool kSaturate>
  static void run(const LaneOperation& operation, const LaneOperands& lanes) {
    const HostRounding rounding(operation.rounding);
    map<T, T, T>(lanes, [](T a, T b) {
      return result<kFlush, kSaturate>(Kind::of(operand<kFlush>(a), operand<kFlush>(b)));
    });
  }
};

template <typename T>
constexpr Storage<T> kSign = Storage<T>{1} << (8 * sizeof(T) - 1);

template <bool kNegate>
struct ChangeSign {
  template <typename T, bool kFlush, bool kSaturate>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<T, T>(lanes, [](T a) {
      const Storage<T> bits = stored(operand<kFlush>(a));
      return loaded<T>(kNegate ? bits ^ kSign<T> : bits & ~kSign<T>);
    });
  }
};
struct CopySign {
  template <typename T, bool kFlush, bool kSaturate>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<T, T, T>(lanes, [](T a, T b) { return loaded<T>((stored(a) & kSign<T>) | (stored(b) & ~kSign<T>)); });
  }
};

// The .approx forms give the correctly rounded results.
LaneOperation::Function function_for(const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kAdd:
      return float_function<Binary<Add>>(statement);
    case Opcode::kSub:
      return float_function<Binary<Sub>>(statement);
    case Opcode::kMul:
      return float_function<Binary<Mul>>(statement);
    case Opcode::kDiv:
      return float_function<Binary<Div>>(statement);
    case Opcode::kMin:
      return float_function<Binary<Extreme<false>>>(statement);
    case Opcode::kMax:
      return float_function<Binary<Extreme<true>>>(statement);
    case Opcode::kSqrt:
      return float_function<Unary<SquareRoot>>(statement);
    case Opcode::kRcp:
      return statement.type == Type::kF64 && statement.has(kApprox)
                 ? nullptr
                 : float_function<Unary<Reciprocal>>(statement);
    case Opcode::kAbs:
      return float_function<ChangeSign<false>>(statement);
    case Opcode::kNeg:
      return float_function<ChangeSign<true>>(statement);
    case Opcode::kCopysign:
      return float_function<CopySign>(statement);
    default:
      return nullptr;
  }
}

}  // namespace

int host_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::kRz:
      return FE_TOWARDZERO;
    case Rounding::kRm:
      return FE_DOWNWARD;
    case Rounding::kRp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

LaneOperation float_operation(const Statement& statement, const Operand* operands) {
  const bool is_extreme = statement.opcode == Opcode::kMin || statement.opcode == Opcode::kMax;
  if (is_extreme && statement.type == Type::kF32) {
    const bool three = statement.operands > 3 && operands[3].kind != OperandKind::kNone;
    if (three || statement.has(kKeepNan) || statement.has(kXorSign)) return extreme_operation(statement);
  }
  LaneOperation operation;
  operation.function = function_for(statement);
  return operation;
}

}  // namespace heddle::ptx::lanes
