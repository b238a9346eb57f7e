#pragma once
// The numbers and the sums of products of matrices (lane_matrix.h has their rule).

#include <algorithm>
#include <cstdint>
#include <limits>

#include "stimuli/ptx/lanes/lane_arithmetic.h"
#include "stimuli/ptx/lanes/lane_half.h"
#include "stimuli/ptx/statements/matrix.h"

namespace heddle::ptx::lanes {

// e4m3 has no infinity: all bits set but the sign is no number. The exponent is biased by 7.
inline double double_of_e4m3(std::uint32_t bits) {
  const double sign = (bits & 0x80U) != 0 ? -1 : 1;
  const std::uint32_t exponent = bits >> 3U & 0xfU;
  const std::uint32_t fraction = bits & 7U;
  if ((bits & 0x7fU) == 0x7fU) return double_of_half(0x7e00);
  if (exponent == 0) return sign * fraction / 512;  // 2^-9
  return sign * (8 + fraction) * static_cast<double>(1U << exponent) / 1024;
}

// Returns the number of an element of floating point. e5m2 is the upper half of an f16, and tf32 the upper 19
// bits of an f32.
inline double number_of(Type type, std::uint64_t bits) {
  constexpr std::uint32_t kHalfBits = 0xffff;
  constexpr std::uint32_t kTf32Bits = 0xffffe000;
  const auto word = static_cast<std::uint32_t>(bits);
  switch (type) {
    case Type::kF16:
      return double_of_half(word & kHalfBits);
    case Type::kBf16:
      return double_of_bfloat(word & kHalfBits);
    case Type::kE4m3:
      return double_of_e4m3(word & 0xffU);
    case Type::kE5m2:
      return double_of_half((word & 0xffU) << 8U);
    case Type::kTf32:
      return double{bits_as<float>(word & kTf32Bits)};
    case Type::kF32:
      return double{bits_as<float>(word)};
    default:
      return bits_as<double>(bits);
  }
}

// Returns the bits of a sum as f32, or rounded once more to f16.
inline std::uint32_t bits_of_sum(float sum, bool half) {
  if (sum != sum) return half ? 0x7fffU : 0x7fffffffU;
  return half ? half_of(double{sum}, FE_TONEAREST) : bits_as<std::uint32_t>(sum);
}

// The product is exact in f32, as those of f16 and of 8 bits are.
inline constexpr auto kAddExactProduct = [](float sum, float x, float y) { return sum + x * y; };
// The product of two bf16 or tf32 is exact in f64, and its exponent may be beyond f32.
inline constexpr auto kAddWideProduct = [](float sum, double x, double y) {
  return static_cast<float>(sum_to_odd(double{sum}, x * y));
};
inline constexpr auto kAddIntegerProduct = [](std::int64_t sum, std::int32_t x, std::int32_t y) {
  return sum + std::int64_t{x} * y;
};

// Returns the low 32 bits of an exact sum of integers, or those of the sum clamped to s32.
inline std::uint32_t bits_of_sum(std::int64_t sum, bool clamps) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::uint32_t>(clamps ? std::clamp<std::int64_t>(sum, Limits::min(), Limits::max())
                                           : sum);
}

// d[m][n] = d[m][n] + sum of a[m][k] * b[k][n], for each k in turn. The matrices lie row by row.
template <typename Number, typename Sum, typename Step>
void accumulate(const MatrixSize& size, const Number* a, const Number* b, Sum* d, Step step) {
  for (std::uint32_t m = 0; m < size.m; ++m)
    for (std::uint32_t k = 0; k < size.k; ++k)
      for (std::uint32_t n = 0; n < size.n; ++n)
        d[m * size.n + n] = step(d[m * size.n + n], a[m * size.k + k], b[k * size.n + n]);
}

}  // namespace heddle::ptx::lanes
