#pragma once
// Progress is work in cycles at full speed, as a fixed-point number. A rate says how much of a cycle's work
// is done in a cycle. Both are integers, so that sums are exact and the same on every machine.

#include <cstdint>
#include <limits>

namespace heddle {

// Binary digits behind the point of rates, of progress, and of bytes per cycle.
constexpr std::uint32_t kRateBits = 20;
constexpr std::uint32_t kFullRate = 1U << kRateBits;

struct Progress {
  std::uint64_t whole = 0;  // cycles
  std::uint32_t part = 0;   // of a cycle, in 1 / kFullRate; less than kFullRate

  friend bool operator==(Progress a, Progress b) { return a.whole == b.whole && a.part == b.part; }
  friend bool operator<(Progress a, Progress b) {
    return a.whole != b.whole ? a.whole < b.whole : a.part < b.part;
  }
  friend Progress operator+(Progress a, Progress b) {
    const std::uint32_t part = a.part + b.part;
    return {a.whole + b.whole + (part >> kRateBits), part & (kFullRate - 1)};
  }
  // `b` is not above `a`.
  friend Progress operator-(Progress a, Progress b) {
    const bool borrow = a.part < b.part;
    return {a.whole - b.whole - (borrow ? 1 : 0), a.part + (borrow ? kFullRate : 0) - b.part};
  }
};

// Returns the progress of `cycles` cycles at `rate`, 0 to kFullRate.
inline Progress progress_in(std::uint64_t cycles, std::uint32_t rate) {
  if (rate == kFullRate) return {cycles, 0};
  const std::uint64_t low = (cycles & (kFullRate - 1)) * rate;
  return {(cycles >> kRateBits) * rate + (low >> kRateBits),
          static_cast<std::uint32_t>(low & (kFullRate - 1))};
}

// Returns the least number of cycles at `rate`, 1 to kFullRate, that make at least this progress. A time of
// 2^63 cycles or more is the largest number.
inline std::uint64_t cycles_for(Progress left, std::uint32_t rate) {
  if (rate == kFullRate) return left.whole + (left.part > 0 ? 1 : 0);
  const std::uint64_t quotient = left.whole / rate;
  const std::uint64_t rest = ((left.whole % rate) << kRateBits) + left.part;
  if (quotient >> (63 - kRateBits) != 0) return std::numeric_limits<std::uint64_t>::max();
  return (quotient << kRateBits) + (rest + rate - 1) / rate;
}

}  // namespace heddle
