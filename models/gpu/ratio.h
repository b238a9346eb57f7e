#pragma once
// A ratio of counters that the GPU's statistics show as a formula, and that is read here without its path.

#include <cstdint>
#include <optional>
#include <string>

#include "models/stats/group.h"

namespace heddle {

struct Ratio {
  std::optional<double> value;    // none where the denominator is zero; a formula's scale is in it
  std::uint64_t numerator = 0;    // the sum of the counters, without the scale
  std::uint64_t denominator = 0;  // the same

  friend bool operator==(const Ratio& a, const Ratio& b) {
    return a.value == b.value && a.numerator == b.numerator && a.denominator == b.denominator;
  }
};

class CounterRatio {
 public:
  CounterRatio() = default;  // of nothing: 0 / 0

  // Adds the formula to `group`, as Group::add_formula() takes it. The counters must outlive this.
  CounterRatio(Group& group, const std::string& name, const std::string& unit, const std::string& description,
               CounterList numerator, CounterList denominator, double scale = 1.0);

  Ratio read() const;  // as of now: the counters must have been settled

 private:
  CounterList numerator_;
  CounterList denominator_;
  double scale_ = 1.0;
};

}  // namespace heddle
