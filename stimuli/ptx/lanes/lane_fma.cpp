// fma and mad of floating point. Each is compiled with the library's function and for hosts that have the
// instruction; both give the same results.

#include "stimuli/ptx/lanes/lane_float.h"

namespace heddle::ptx::lanes {
namespace {

HEDDLE_LANE_INLINE float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
HEDDLE_LANE_INLINE double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

template <typename T, bool kFlush, bool kSaturate>
HEDDLE_LANE_INLINE void multiply_add(const LaneOperands& lanes) {
  map<T, T, T, T>(
      lanes, [](T a, T b, T c) __attribute__((always_inline)) {
        return result<kFlush, kSaturate>(fused(operand<kFlush>(a), operand<kFlush>(b), operand<kFlush>(c)));
      });
}

// Most operations are of every lane, and round to nearest.
bool is_usual(const LaneOperation& operation, const LaneOperands& lanes) {
  return operation.rounding == FE_TONEAREST && lanes.active == kEveryLane;
}

struct Plain {
  template <typename T, bool kFlush, bool kSaturate>
  static void run(const LaneOperation& operation, const LaneOperands& lanes) {
    const HostRounding rounding(operation.rounding);
    multiply_add<T, kFlush, kSaturate>(lanes);
  }
};

#if defined(__x86_64__)
struct Fast {
  template <typename T, bool kFlush, bool kSaturate>
  [[gnu::target("avx2,fma")]] static void run(const LaneOperation& operation, const LaneOperands& lanes) {
    if (!is_usual(operation, lanes)) return run_unusual<T, kFlush, kSaturate>(operation, lanes);
    LaneOperands every = lanes;
    every.active = kEveryLane;
    multiply_add<T, kFlush, kSaturate>(every);
  }

 private:
  template <typename T, bool kFlush, bool kSaturate>
  [[gnu::target("avx2,fma"), gnu::noinline]] static void run_unusual(const LaneOperation& operation,
                                                                     const LaneOperands& lanes) {
    const HostRounding rounding(operation.rounding);
    multiply_add<T, kFlush, kSaturate>(lanes);
  }
};
bool host_has_fma() {
  return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}
#else
using Fast = Plain;
bool host_has_fma() {
  return false;
}
#endif

}  // namespace

LaneOperation fma_operation(const Statement& statement) {
  static const bool fast = host_has_fma();
  LaneOperation operation;
  if (statement.opcode == Opcode::kFma || statement.opcode == Opcode::kMad)
    operation.function = fast ? float_function<Fast>(statement) : float_function<Plain>(statement);
  return operation;
}

}  // namespace heddle::ptx::lanes
