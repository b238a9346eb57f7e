#include "platforms/correlate/agreement.h"

#include <algorithm>
#include <cmath>

namespace heddle::correlate {

namespace {

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAgree:
      return "agree";
    case Verdict::kOff:
      return "off";
    case Verdict::kUnknown:
      return "unknown";
    default:
      return "not exercised";
  }
}

Verdict judge(const SideValue& rtl, const SideValue& model, const Tolerance& tolerance, bool has_changed) {
  if (!rtl && !model) return Verdict::kNotExercised;
  if (!rtl || !model) return Verdict::kOff;
  const double difference = std::abs(*model - *rtl);
  if (difference > std::max(tolerance.absolute, tolerance.relative * std::abs(*rtl))) return Verdict::kOff;
  return (*rtl == 0 && *model == 0) || !has_changed ? Verdict::kNotExercised : Verdict::kAgree;
}

double relative_error(double rtl, double model) {
  if (rtl == model) return 0;
  return rtl == 0 ? 1 : std::abs(model - rtl) / std::abs(rtl);
}

std::optional<double> pearson(const std::vector<double>& xs, const std::vector<double>& ys) {
  if (xs.size() < 2) return std::nullopt;
  const double mean_x = mean_of(xs), mean_y = mean_of(ys);
  double both = 0, x_squares = 0, y_squares = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double x = xs[i] - mean_x, y = ys[i] - mean_y;
    both += x * y;
    x_squares += x * x;
    y_squares += y * y;
  }
  const double below = std::sqrt(x_squares) * std::sqrt(y_squares);
  if (below == 0 || !std::isfinite(below)) return std::nullopt;
  return std::clamp(both / below, -1.0, 1.0);
}

std::optional<RowError> row_error(const std::vector<double>& rtl, const std::vector<double>& model) {
  if (rtl.empty()) return std::nullopt;
  RowError found;
  double worst = -1, worst_difference = 0;
  for (std::size_t i = 0; i < rtl.size(); ++i) {
    const double error = relative_error(rtl[i], model[i]), difference = std::abs(model[i] - rtl[i]);
    found.mean += error / static_cast<double>(rtl.size());
    if (error > worst || (error == worst && difference > worst_difference)) {
      found.worst = i;
      worst = error;
      worst_difference = difference;
    }
  }
  return found;
}

}  // namespace heddle::correlate
