#include "models/core/base/portable_math.h"

#include <cmath>

namespace heddle {

namespace {

// ln 2 in two parts. The first has 32 bits, so that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kLn2 = kLn2High + kLn2Low;

}  // namespace

// The mantissa m lies in [sqrt(1/2), sqrt(2)), and log m = 2 (s + s^3 / 3 + s^5 / 5 + ...) with
// s = (m - 1) / (m + 1), |s| < 0.172.
double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double sum = 0;
  for (int odd = 23; odd >= 3; odd -= 2) sum = (sum + 1.0 / odd) * square;
  const double log = 2 * s + 2 * s * sum;
  return exponent * kLn2High + (log + exponent * kLn2Low);
}

// x = k ln 2 + r with |r| <= ln 2 / 2, and e^r is the sum of its Taylor series.
double portable_exp(double x) {
  const double k = std::floor(x / kLn2 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1;
  for (int n = 16; n >= 1; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

}  // namespace heddle
