#pragma once
// A number of events. The hardware block that sees the events owns the counter; models/stats/group.h gives it
// a name, a unit and a description.

#include <cstdint>

namespace heddle {

class Counter {
 public:
  Counter& operator++() {
    ++value_;
    return *this;
  }
  Counter& operator+=(std::uint64_t amount) {
    value_ += amount;
    return *this;
  }
  // For a counter that is a sum of others, brought up to the present before it is read.
  void set(std::uint64_t value) { value_ = value; }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace heddle
