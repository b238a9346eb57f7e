#pragma once
// Helpers of all floating-point operations: canonical results, and rounding modes other than to nearest.

#include <cfenv>

#include "stimuli/ptx/lanes/lane_loops.h"

namespace heddle::ptx::lanes {

class HostRounding {
 public:
  explicit HostRounding(int mode) : changed_(mode != FE_TONEAREST) {
    if (changed_) std::fesetround(mode);
  }
  ~HostRounding() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  bool changed_;
};

HEDDLE_LANE_INLINE float canonical(float value) {
  return value != value ? bits_as<float>(0x7fffffffU) : value;
}
HEDDLE_LANE_INLINE double canonical(double value) {
  return value != value ? bits_as<double>(std::uint64_t{0xfff8} << 48U) : value;
}

template <bool kFlush, typename T>
HEDDLE_LANE_INLINE T operand(T value) {
  if constexpr (kFlush)
    return flushed(value);
  else
    return value;
}

template <bool kFlush, bool kSaturate, typename T>
HEDDLE_LANE_INLINE T result(T value) {
  const T own = operand<kFlush>(value);
  if constexpr (kSaturate) {
    const T positive = own > T{0} ? own : T{0};
    return positive < T{1} ? positive : T{1};
  } else {
    return canonical(own);
  }
}

// Returns Kind::run<T, .ftz, .sat> for the statement.
template <typename Kind>
LaneOperation::Function float_function(const Statement& statement) {
  if (statement.type == Type::kF64) return &Kind::template run<double, false, false>;
  if (statement.type != Type::kF32) return nullptr;
  const bool ftz = statement.has(kFtz), sat = statement.has(kSat);
  if (ftz && sat) return &Kind::template run<float, true, true>;
  if (ftz) return &Kind::template run<float, true, false>;
  if (sat) return &Kind::template run<float, false, true>;
  return &Kind::template run<float, false, false>;
}

}  // namespace heddle::ptx::lanes
