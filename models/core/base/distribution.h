#pragma once
// A Distribution draws random numbers. Its draws are defined here bit for bit (models/core/base/random.h,
// portable_math.h), so that every machine and compiler gets the same.

#include <cstdint>
#include <limits>
#include <vector>

#include "models/core/base/random.h"

namespace heddle {

class Distribution {
 public:
  Distribution() = default;  // the constant 0
  static Distribution constant(double value);
  static Distribution uniform(double least, double most);                    // reals in [least, most)
  static Distribution uniform_whole(std::int64_t least, std::int64_t most);  // both included
  static Distribution exponential(double mean);                              // mean above 0
  static Distribution normal(double mean, double deviation);                 // deviation 0 or more
  // Mean and deviation are those of the draws, and not of their logarithms. Both are above 0.
  static Distribution lognormal(double mean, double deviation);
  // `variation` is the coefficient of variation: deviation over mean; 1 is the exponential distribution. Both
  // are above 0.
  static Distribution gamma(double mean, double variation);
  // The number of trials up to the first success, 1 or more. The mean is 1 or more.
  static Distribution geometric(double mean);
  // One of the values, each as likely as its weight says. Both lists have one length, above 0. Weights are 0
  // or more, and one is above 0.
  static Distribution choice(std::vector<double> values, const std::vector<double>& weights);

  // Rounds each draw to the nearest whole number, halves up.
  void round() { rounds_ = true; }
  // A draw below `least` becomes `least`, and one above `most` becomes `most`.
  void limit(double least, double most) { least_ = least, most_ = most; }

  double draw(Random& random) const;
  double typical() const;  // the mean, or of a choice the first value, rounded and limited as draws are
  bool draws() const { return kind_ != Kind::kConstant; }
  bool is_whole() const { return whole_ || rounds_; }  // every draw is a whole number

 private:
  enum class Kind : std::uint8_t {
    kConstant,
    kUniform,
    kUniformWhole,
    kExponential,
    kNormal,
    kLognormal,
    kGamma,
    kGeometric,
    kChoice,
  };

  double raw(Random& random) const;
  double limited(double value) const;

  Kind kind_ = Kind::kConstant;
  double first_ = 0;   // the least value, the mean, or the mean of the logarithm
  double second_ = 0;  // the most, the deviation (of the logarithm), or the shape
  double mean_ = 0;
  bool whole_ = true;
  bool rounds_ = false;
  double least_ = -std::numeric_limits<double>::infinity();
  double most_ = std::numeric_limits<double>::infinity();
  std::vector<double> values_;
  std::vector<double> shares_;  // cumulative, the last one is 1
};

}  // namespace heddle
