#include "models/core/base/distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/core/base/portable_math.h"

namespace heddle {

namespace {

// Uniform in (0, 1], so that its logarithm is finite.
double above_zero(Random& random) {
  return 1.0 - random.unit();
}

// The polar method (Marsaglia and Bray, SIAM Review 6(3), 1964). It gives two numbers, of which it keeps one.
double standard_normal(Random& random) {
  for (;;) {
    const double x = 2 * random.unit() - 1;
    const double y = 2 * random.unit() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * portable_log(square) / square);
  }
}

// Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", ACM TOMS 26(3), 2000; scale 1. A
// shape below 1 follows from the next higher one.
double standard_gamma(double shape, Random& random) {
  if (shape < 1) {
    const double boost = portable_exp(std::max(-700.0, portable_log(above_zero(random)) / shape));
    return standard_gamma(shape + 1, random) * boost;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = standard_normal(random);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (portable_log(above_zero(random)) < 0.5 * x * x + d - d * v + d * portable_log(v)) return d * v;
  }
}

bool is_whole_number(double value) {
  return value == std::floor(value);
}

}  // namespace

Distribution Distribution::constant(double value) {
  Distribution made;
  made.first_ = made.mean_ = value;
  made.whole_ = is_whole_number(value);
  return made;
}

Distribution Distribution::uniform(double least, double most) {
  Distribution made;
  made.kind_ = Kind::kUniform;
  made.first_ = least;
  made.second_ = most;
  made.mean_ = least + (most - least) / 2;
  made.whole_ = false;
  return made;
}

Distribution Distribution::uniform_whole(std::int64_t least, std::int64_t most) {
  Distribution made = uniform(static_cast<double>(least), static_cast<double>(most));
  made.kind_ = Kind::kUniformWhole;
  made.mean_ = std::floor(made.mean_);
  made.whole_ = true;
  return made;
}

Distribution Distribution::exponential(double mean) {
  Distribution made;
  made.kind_ = Kind::kExponential;
  made.first_ = made.mean_ = mean;
  made.whole_ = false;
  return made;
}

Distribution Distribution::normal(double mean, double deviation) {
  Distribution made;
  made.kind_ = Kind::kNormal;
  made.first_ = made.mean_ = mean;
  made.second_ = deviation;
  made.whole_ = false;
  return made;
}

Distribution Distribution::lognormal(double mean, double deviation) {
  Distribution made;
  made.kind_ = Kind::kLognormal;
  const double ratio = deviation / mean;
  const double variance = portable_log(1 + ratio * ratio);
  made.first_ = portable_log(mean) - variance / 2;
  made.second_ = std::sqrt(variance);
  made.mean_ = mean;
  made.whole_ = false;
  return made;
}

Distribution Distribution::gamma(double mean, double variation) {
  Distribution made;
  made.kind_ = Kind::kGamma;
  made.first_ = made.mean_ = mean;
  made.second_ = 1 / (variation * variation);
  made.whole_ = false;
  return made;
}

Distribution Distribution::geometric(double mean) {
  Distribution made;
  made.kind_ = Kind::kGeometric;
  made.first_ = made.mean_ = mean;
  made.second_ = mean > 1 ? portable_log(1 - 1 / mean) : 0;  // of the probability of a failure
  return made;
}

Distribution Distribution::choice(std::vector<double> values, const std::vector<double>& weights) {
  Distribution made;
  made.kind_ = Kind::kChoice;
  made.mean_ = values.front();
  made.whole_ = std::all_of(values.begin(), values.end(), is_whole_number);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  for (const double weight : weights) made.shares_.push_back((sum += weight) / all);
  made.values_ = std::move(values);
  return made;
}

double Distribution::draw(Random& random) const {
  return limited(raw(random));
}

double Distribution::typical() const {
  const bool needs_round = whole_ && !is_whole_number(mean_);  // the mean of whole numbers need not be one
  return limited(needs_round ? std::floor(mean_ + 0.5) : mean_);
}

double Distribution::limited(double value) const {
  if (rounds_) value = std::floor(value + 0.5);
  return std::min(std::max(value, least_), most_);
}

double Distribution::raw(Random& random) const {
  switch (kind_) {
    case Kind::kConstant:
      return first_;
    case Kind::kUniform:
      return first_ + (second_ - first_) * random.unit();
    case Kind::kUniformWhole: {
      const auto least = static_cast<std::int64_t>(first_);
      const auto count = static_cast<std::uint64_t>(static_cast<std::int64_t>(second_) - least) + 1;
      return static_cast<double>(least + static_cast<std::int64_t>(random.below(count)));
    }
    case Kind::kExponential:
      return -first_ * portable_log(above_zero(random));
    case Kind::kNormal:
      return first_ + second_ * standard_normal(random);
    case Kind::kLognormal:
      return portable_exp(first_ + second_ * standard_normal(random));
    case Kind::kGamma:
      return first_ / second_ * standard_gamma(second_, random);
    case Kind::kGeometric:
      return second_ == 0 ? 1 : 1 + std::floor(portable_log(above_zero(random)) / second_);
    case Kind::kChoice: {
      const auto found = std::upper_bound(shares_.begin(), shares_.end(), random.unit());
      return values_[static_cast<std::size_t>(std::min(found, shares_.end() - 1) - shares_.begin())];
    }
  }
  return 0;
}

}  // namespace heddle
