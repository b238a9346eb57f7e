#pragma once
// Numbers of 16 bits: their values, and sums that are rounded once. An operation is computed in double
// precision and rounded to 16 bits, which rounds once: products of two such numbers are exact, and sums are
// rounded to odd.

#include <cmath>

#include "stimuli/ptx/lanes/lane_conversion.h"
#include "stimuli/ptx/lanes/lane_float.h"

namespace heddle::ptx::lanes {

struct HalfFormat {
  static constexpr std::uint32_t kExponent = 0x7c00;
  static constexpr std::uint32_t kOne = 0x3c00;
  static double of(std::uint32_t bits) { return double_of_half(bits); }
  static std::uint32_t bits(double value, int mode) { return half_of(value, mode); }
};
struct BfloatFormat {
  static constexpr std::uint32_t kExponent = 0x7f80;
  static constexpr std::uint32_t kOne = 0x3f80;
  static double of(std::uint32_t bits) { return double_of_bfloat(bits); }
  static std::uint32_t bits(double value, int mode) { return bfloat_of(value, mode); }
};

// .ftz: a subnormal number becomes a zero of its sign.
template <typename Format>
HEDDLE_LANE_INLINE std::uint32_t flushed_half(std::uint32_t bits, bool flush) {
  return flush && (bits & Format::kExponent) == 0 ? bits & 0x8000U : bits;
}

// Returns a + b. A sum that is not exact is the neighbour whose last bit is set, so that rounding it again to
// fewer bits gives the sum rounded once (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
HEDDLE_LANE_INLINE double sum_to_odd(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double rest = (a - (sum - part)) + (b - part);
  if (!(std::fabs(sum) < INFINITY) || rest == 0) return sum;
  const auto bits = bits_as<std::uint64_t>(sum);
  if ((bits & 1U) != 0) return sum;
  return bits_as<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

}  // namespace heddle::ptx::lanes
