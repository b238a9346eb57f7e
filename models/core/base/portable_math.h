#pragma once
// Functions that the standard library computes with other last bits on other machines. These use additions,
// multiplications and divisions alone, which IEEE 754 defines to the bit, so every machine gets the same.

namespace heddle {

// The natural logarithm; x is normal, finite and above zero. The error is at most two units in the last
// place, or 2^-53 near x = 1.
double portable_log(double x);

// e to the power of x, for x of -700 .. 700. The relative error is at most 2^-50.
double portable_exp(double x);

}  // namespace heddle
