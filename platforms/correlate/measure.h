#pragma once
// A measure is what a function of the RTL side counts over some cycles: pulses, cycles, the last or the
// largest value, or growth.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/correlate/rtl_source.h"

namespace heddle::correlate {

struct Measure {
  enum class Kind : std::uint8_t {
    kCycles,  // cycles in which the value is not zero
    kDelta,   // growth from the begin to the end, modulo the width in every cycle
    kLast,    // the value at the end
    kMax,     // the largest value from the begin to the end, both included
    kPulses   // cycles in which the value is not zero, and was zero in the cycle before
  };

  Kind kind = Kind::kLast;
  // The index of a name in it is that of an operand.
  Expression argument;
  unsigned width = 0;  // bits of the operand of a delta that has bits; 0 for others
};

// Returns the value of a measure's argument. `operands` has the readings by index of operand.
Reading read_argument(const Expression& argument, const std::vector<Reading>& operands);

// Counts one measure.
class MeasureState {
 public:
  // Counting begins, or goes on after a pause.
  void begin(const Measure& measure, const Reading& now, std::uint64_t cycle);
  // A cycle is counted. `before` is the reading of the cycle before, also of one that is not counted.
  void count(const Measure& measure, const Reading& now, const Reading& before, std::uint64_t cycle);
  // Counting ends, or pauses.
  void end(const Measure& measure, const Reading& now, std::uint64_t cycle);

  // Returns the result, or nothing if a value that it needs was unknown or if nothing was counted.
  std::optional<double> value(const Measure& measure) const;
  bool is_unknown(const Measure& measure) const;
  std::uint64_t unknown_cycle() const { return unknown_cycle_; }  // the first one
  bool has_changed() const { return has_changed_; }

 private:
  void look(const Measure& measure, const Reading& now, std::uint64_t cycle);
  void mark_unknown(std::uint64_t cycle);

  bool has_begun_ = false;
  bool has_changed_ = false;
  bool is_unknown_ = false;
  std::uint64_t unknown_cycle_ = 0;
  Reading last_;
  double most_ = 0;
  std::uint64_t whole_ = 0;  // events, or growth of bits
  double real_ = 0;          // growth of a real
};

}  // namespace heddle::correlate
