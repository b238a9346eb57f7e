// The approximations of functions that IEEE-754 does not define as single operations.

#include <cmath>

#include "stimuli/ptx/lanes/lane_float.h"

namespace heddle::ptx::lanes {
namespace {

struct Sine {
  HEDDLE_LANE_INLINE static double of(double a) { return std::sin(a); }
};
struct Cosine {
  HEDDLE_LANE_INLINE static double of(double a) { return std::cos(a); }
};
struct Logarithm {
  HEDDLE_LANE_INLINE static double of(double a) { return std::log2(a); }
};
struct Exponential {
  HEDDLE_LANE_INLINE static double of(double a) { return std::exp2(a); }
};
struct HyperbolicTangent {
  HEDDLE_LANE_INLINE static double of(double a) { return std::tanh(a); }
};
struct ReciprocalRoot {
  HEDDLE_LANE_INLINE static double of(double a) { return 1 / std::sqrt(a); }
};
struct Reciprocal {
  HEDDLE_LANE_INLINE static double of(double a) { return 1 / a; }
};

template <typename Kind>
struct Function {
  template <typename T, bool kFlush, bool kSaturate>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<T, T>(lanes, [](T a) {
      return result<kFlush, kSaturate>(static_cast<T>(Kind::of(double{operand<kFlush>(a)})));
    });
  }
};

// Returns the number with a zero lower half; a subnormal number becomes a zero.
HEDDLE_LANE_INLINE double upper_half(double value) {
  const std::uint64_t bits = bits_as<std::uint64_t>(value) & 0xffff'ffff'0000'0000U;
  const bool subnormal = (bits & (0x7ffULL << 52U)) == 0;
  return bits_as<double>(subnormal ? bits & (1ULL << 63U) : bits);
}
// A NaN stays a NaN even if its payload lies in the lower half.
template <typename Kind>
void upper_half_function(const LaneOperation&, const LaneOperands& lanes) {
  map<double, double>(lanes,
                      [](double a) { return canonical(a != a ? a : upper_half(Kind::of(upper_half(a)))); });
}

LaneOperation::Function function_for(const Statement& statement) {
  const bool half = statement.type == Type::kF64 && statement.has(kFtz);
  switch (statement.opcode) {
    case Opcode::kSin:
      return float_function<Function<Sine>>(statement);
    case Opcode::kCos:
      return float_function<Function<Cosine>>(statement);
    case Opcode::kLg2:
      return float_function<Function<Logarithm>>(statement);
    case Opcode::kEx2:
      return float_function<Function<Exponential>>(statement);
    case Opcode::kTanh:
      return float_function<Function<HyperbolicTangent>>(statement);
    case Opcode::kRsqrt:
      return half ? upper_half_function<ReciprocalRoot> : float_function<Function<ReciprocalRoot>>(statement);
    case Opcode::kRcp:
      return half ? upper_half_function<Reciprocal> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

LaneOperation approximate_operation(const Statement& statement) {
  LaneOperation operation;
  operation.function = function_for(statement);
  return operation;
}

}  // namespace heddle::ptx::lanes
