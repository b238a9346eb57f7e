#pragma once
// Reference arithmetic of numbers of 16 bits: exact values, rounded by a search among all numbers.

#include <cmath>
#include <string>

#include "stimuli/ptx/statements/type.h"
#include "tests/support/ptx/ptx_exact.h"

namespace heddle::ptx {

struct HalfNumbers {
  int fraction = 10;  // bits
  int bias = 15;

  std::uint32_t infinity() const { return 0x7fffU >> fraction << fraction; }
  bool is_nan(std::uint32_t bits) const { return (bits & 0x7fffU) > infinity(); }
  bool is_subnormal(std::uint32_t bits) const { return (bits & 0x7fffU) >> fraction == 0; }
  // Where infinity is, this is the number that would follow the greatest one.
  double magnitude(std::uint32_t bits) const {
    const auto exponent = static_cast<int>((bits & 0x7fffU) >> fraction);
    const double steps = bits & ((1U << fraction) - 1);
    const double one = std::ldexp(1.0, fraction);
    return std::ldexp(exponent == 0 ? steps : steps + one, (exponent == 0 ? 1 : exponent) - bias - fraction);
  }
  double value(std::uint32_t bits) const {
    if (is_nan(bits)) return NAN;
    const double size = (bits & 0x7fffU) == infinity() ? INFINITY : magnitude(bits);
    return (bits & 0x8000U) != 0 ? -size : size;
  }
  std::uint32_t flushed(std::uint32_t bits) const { return is_subnormal(bits) ? bits & 0x8000U : bits; }

  // Rounds a finite number. `host` has the sign of a zero.
  std::uint32_t rounded(const Exact& exact, double host, const std::string& mode) const {
    const bool negative = side_of(exact, 0) < 0 || (side_of(exact, 0) == 0 && std::signbit(host));
    const Exact size = negative ? Exact{-exact.value, -exact.tail} : exact;
    std::uint32_t low = 0;
    std::uint32_t high = infinity();
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (side_of(size, magnitude(middle)) < 0 ? high : low) = middle;
    }
    const int side = side_of(size, (Quad(magnitude(low)) + Quad(magnitude(low + 1))) / 2);
    const bool up = mode == "rn" && (side > 0 || (side == 0 && (low & 1U) != 0));
    return (negative ? 0x8000U : 0U) | (up ? low + 1 : low);
  }
  // Rounds a number that may be NaN or infinite, which `host` tells.
  std::uint32_t result(const Exact& exact, double host, const std::string& mode = "rn") const {
    if (std::isnan(host)) return 0x7fff;
    if (std::isinf(host)) return (host < 0 ? 0x8000U : 0U) | infinity();
    return rounded(exact, host, mode);
  }
};

inline HalfNumbers half_numbers(Type type) {
  return type == Type::kBf16 || type == Type::kBf16x2 ? HalfNumbers{7, 127} : HalfNumbers{};
}

// Returns `result` of each half of a word, or of the lower half for a type of 16 bits.
template <typename Result>
std::uint64_t each_half(Type type, const Result& result) {
  const std::uint64_t low = result(0U);
  return is_packed(type) ? low | std::uint64_t{result(16U)} << 16U : low;
}

}  // namespace heddle::ptx
