#pragma once
// A ratio of sums of counters. Who adds one to a group keeps the reference and asks it for its value: inside
// the program no statistic is looked up by its path.

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
    const Group* group;       // where the counter is registered
    const std::string* name;  // the counter's name there
    std::uint64_t times;      // how often the list of operands has the counter

    std::uint64_t value() const { return times * counter->value(); }
  };

  // `group` is the one that the formula is added to.
  Formula(const Group& group, std::vector<Operand> numerator, std::vector<Operand> denominator, double scale);

  const Group& group() const { return group_; }
  const std::vector<Operand>& numerator() const { return numerator_; }  // in the order of their first mention
  const std::vector<Operand>& denominator() const { return denominator_; }

  // As of now.
  std::uint64_t numerator_sum() const;
  std::uint64_t denominator_sum() const;
  std::optional<double> value() const;  // none where the denominator sums to zero, or beyond a double

 private:
  const Group& group_;
  const std::vector<Operand> numerator_;
  const std::vector<Operand> denominator_;
  const double scale_;
};

}  // namespace heddle
