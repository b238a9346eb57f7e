#pragma once
// ProgressWindows divides a run into windows of equal length and sums a value in each. The windows get longer
// as the run does, so that there are never more than a given number, and memory does not grow.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

class ProgressWindows {
 public:
  static constexpr std::size_t kMost = 64;
  static constexpr std::uint64_t kShortestPs = 1000000;  // 1 us; each length is twice the one before

  struct Window {
    std::uint64_t count = 0;
    double sum = 0;
  };

  // Windows are `shortest_ps` long at first, which is above zero. `most` is even.
  explicit ProgressWindows(std::uint64_t shortest_ps = kShortestPs, std::size_t most = kMost)
      : length_ps_(shortest_ps), windows_(most) {}

  // Adds a value at a time in picoseconds, which is not before that of the last call.
  void add(std::uint64_t time_ps, double value);
  // Makes the windows long enough for a run that ends at this time.
  void cover(std::uint64_t time_ps);

  std::uint64_t length_ps() const { return length_ps_; }
  const Window& window(std::size_t number) const { return windows_[number]; }  // from number * length on

 private:
  std::uint64_t length_ps_;
  std::vector<Window> windows_;
};

}  // namespace heddle
