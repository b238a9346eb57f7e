#pragma once
// Reference rounding of floating-point results: exact values of 113 bits and more, and their neighbours in
// f32 and f64.

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "stimuli/ptx/statements/type.h"

namespace heddle::ptx {

__extension__ using Quad = __float128;

// The exact number value + tail. The magnitude of the tail is less than half of the last place of the value,
// so that only the sign of the tail affects rounding.
struct Exact {
  Quad value = 0;
  Quad tail = 0;
};

inline Exact exact_sum(Quad a, Quad b) {
  const Quad sum = a + b;
  const Quad part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

template <typename T>
std::uint64_t bits_of_float(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}
template <typename T>
T float_of_bits(std::uint64_t bits) {
  T value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Returns a negative number if `exact` lies below `value`, 0 if both are equal, and a positive number
// otherwise.
inline int side_of(const Exact& exact, Quad value) {
  const Quad away = exact.value - value;
  if (away != 0) return away < 0 ? -1 : 1;
  return exact.tail < 0 ? -1 : (exact.tail > 0 ? 1 : 0);
}

// Returns the exact number rounded to T. `mode` is "rn", "rz", "rm" or "rp". The number is not NaN. A zero
// keeps the sign of exact.value.
template <typename T>
T rounded(const Exact& exact, const std::string& mode) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr T kMost = std::numeric_limits<T>::max();
  // The number that would follow kMost.
  const Quad end = Quad(kMost) + Quad(kMost) * Quad(std::numeric_limits<T>::epsilon()) / 2;
  T low = static_cast<T>(exact.value);
  if (static_cast<Quad>(low) == exact.value && exact.tail == 0) return low;
  if (low == kInfinity) low = kMost;
  while (low != -kInfinity && side_of(exact, low) < 0) low = std::nextafter(low, -kInfinity);
  T high = low;
  while (high != kInfinity && side_of(exact, high) > 0) high = std::nextafter(high, kInfinity);
  if (low == high) return low;
  if (high == 0) high = -T{0};
  const bool negative = exact.value < 0;
  if (mode == "rm" || (mode == "rz" && !negative)) return low;
  if (mode == "rp" || mode == "rz") return high;
  const Quad below = low == -kInfinity ? -end : Quad(low);
  const Quad above = high == kInfinity ? end : Quad(high);
  const int side = side_of(exact, below + (above - below) / 2);
  if (side != 0) return side < 0 ? low : high;
  const bool low_is_even = low != -kInfinity && (bits_of_float(low) & 1U) == 0;
  return low_is_even ? low : high;
}

}  // namespace heddle::ptx
