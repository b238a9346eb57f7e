#pragma once
// A CycleRing has a T for each of the cycles to come: at least kAhead of them, at most twice as many. What is
// behind its end is not known yet.

#include <algorithm>
#include <array>

#include "models/core/base/ids.h"

namespace heddle {

template <class T>
class CycleRing {
 public:
  static constexpr std::uint32_t kAhead = 32;  // a power of two

  void reset() {
    slots_ = {};
    end_ = Cycle{2 * kAhead};
  }

  // Returns the first cycle that is not in the ring.
  Cycle end() const { return end_; }
  // The cycle is not before that of advance(), and before end().
  T& at(Cycle cycle) { return slots_[cycle.value % slots_.size()]; }
  const T& at(Cycle cycle) const { return slots_[cycle.value % slots_.size()]; }

  // Returns whether the ring must advance before it is asked about `now`. It needs to once in kAhead cycles.
  bool must_advance(Cycle now) const { return now + kAhead >= end_; }
  // Empties the cycles before `now`, and has others behind the end instead.
  void advance(Cycle now) {
    const Cycle end{(now.value / kAhead + 2) * kAhead};
    const std::uint64_t cycles = std::min<std::uint64_t>(end - end_, slots_.size());
    for (Cycle cycle = end - cycles; cycle < end; cycle = cycle + kAhead)
      std::fill_n(&at(cycle), kAhead, T{});
    end_ = end;
  }

 private:
  std::array<T, std::size_t{2} * kAhead> slots_{};  // by cycle mod their number
  Cycle end_{2 * kAhead};                           // a multiple of kAhead
};

}  // namespace heddle
