#pragma once
// A Formula is a ratio of sums of counters. A class that adds one to a group keeps the reference and reads
// its value, so that no statistic is looked up by its path inside the program.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/core/base/counter.h"

namespace heddle {

class Group;

using CounterList = std::vector<std::reference_wrapper<const Counter>>;

class Formula {
 public:
  struct Operand {
    const Counter* counter;
    const Group* group;       // the group in which the counter is registered
    const std::string* name;  // the counter's name in that group
    std::uint64_t times;      // how many times the list of operands has the counter

    std::uint64_t value() const { return times * counter->value(); }
  };

  // `group` is the group that the formula is added to.
  Formula(const Group& group, std::vector<Operand> numerator, std::vector<Operand> denominator, double scale);

  const Group& group() const { return group_; }
  double scale() const { return scale_; }
  // The counters are in the order in which the list first names them.
  const std::vector<Operand>& numerator() const { return numerator_; }
  const std::vector<Operand>& denominator() const { return denominator_; }

  // Returns the present sum.
  std::uint64_t numerator_sum() const;
  std::uint64_t denominator_sum() const;
  std::optional<double> value() const;  // empty if the denominator is zero or the value is not finite

 private:
  const Group& group_;
  const std::vector<Operand> numerator_;
  const std::vector<Operand> denominator_;
  const double scale_;
};

}  // namespace heddle
