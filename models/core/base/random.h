#pragma once
// Every random draw comes from this seeded generator, SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Its draws
// are defined here bit for bit, because the standard library's distributions differ between implementations.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // Returns a separate generator for a named purpose, so that a draw that is added for one purpose changes no
  // draw for another.
  Random fork(std::string_view purpose) const;

  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound);  // uniform in 0 .. bound - 1; bound above zero
  double unit();                             // uniform in [0, 1)
  double normal();                           // mean 0, deviation 1

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left)
      std::swap(items[left - 1], items[static_cast<std::size_t>(below(left))]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace heddle
