#pragma once
// LaunchRanges choose launches of a recorded program, a captured program or a trace, by their numbers.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

class LaunchRanges {
 public:
  static constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

  LaunchRanges() = default;  // all launches
  // The launches from `first` on, counted from 1, to `last`.
  LaunchRanges(std::uint64_t first, std::uint64_t last) : ranges_{{first, last}} {}

  // Reads ranges in ascending order, such as "3-5", "3", "3-", "-5" or "1,4-6". Throws std::invalid_argument
  // for another text.
  static LaunchRanges read(std::string_view text);

  bool hold(std::uint64_t launch) const;
  std::uint64_t last() const { return ranges_.empty() ? kEnd : ranges_.back().second; }
  std::string text() const;  // which read() reads; empty: all launches

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  // with their ends
};

}  // namespace heddle
