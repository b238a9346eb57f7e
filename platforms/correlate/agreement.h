#pragma once
// The arithmetic of a comparison: whether two values agree, and how well two rows of values go together.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "platforms/correlate/correlation_map.h"

namespace heddle::correlate {

enum class Verdict : std::uint8_t {
  kAgree,
  kOff,
  kUnknown,      // a value of the RTL that it needs is x or z
  kNotExercised  // both sides agree, and both are zero or no signal of the RTL has changed
};

constexpr std::array<Verdict, 4> kVerdicts{Verdict::kAgree, Verdict::kOff, Verdict::kUnknown,
                                           Verdict::kNotExercised};

const char* name_of(Verdict verdict);  // "agree", "off", "unknown", "not exercised"

// The value of one side. It is absent if a quotient in it has the divisor zero.
using SideValue = std::optional<double>;

// Returns the verdict on values that are known. One absent value is off, two are not exercised.
Verdict judge(const SideValue& rtl, const SideValue& model, const Tolerance& tolerance, bool has_changed);

// Returns the difference as a fraction of the value of the RTL; 1 where that alone is zero, 0 where both are.
double relative_error(double rtl, double model);

// Returns Pearson's coefficient of correlation, or nothing for less than two values or if one row is
// constant. The rows are of one length.
std::optional<double> pearson(const std::vector<double>& xs, const std::vector<double>& ys);

// The mean of relative_error(), and the index with the largest one; of equals the one with the largest
// difference, then the first.
struct RowError {
  double mean = 0;
  std::size_t worst = 0;
};

// Returns nothing for empty rows.
std::optional<RowError> row_error(const std::vector<double>& rtl, const std::vector<double>& model);

}  // namespace heddle::correlate
