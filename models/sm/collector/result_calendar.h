#pragma once
// The ResultCalendar holds results by the cycle at which they are due. It is a ring of kSpan cycles with at
// most `width` results each.

#include <array>
#include <cstdint>

#include "models/core/base/ids.h"
#include "models/core/base/lazy_array.h"
#include "models/sm/collector/operand_collector.h"

namespace heddle {

// `kSpan` is a power of two, 64 or more. A result is due less than kSpan cycles after the present one.
template <std::size_t kSpan>
class alignas(64) ResultCalendar {
 public:
  explicit ResultCalendar(std::uint32_t width)
      : width_(width), due_(kSpan * width) {}  // `width` is the most results of one cycle

  bool empty() const { return size_ == 0; }
  std::uint32_t count(Cycle cycle) const { return counts_[cycle.value % kSpan]; }
  const InFlight* at(Cycle cycle) const { return &due_[cycle.value % kSpan * width_]; }

  void enter(Cycle cycle, const InFlight& instruction) {
    const std::size_t slot = cycle.value % kSpan;
    due_[slot * width_ + counts_[slot]++] = instruction;
    occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    ++size_;
  }
  void clear(Cycle cycle) {
    const std::size_t slot = cycle.value % kSpan;
    size_ -= counts_[slot];
    counts_[slot] = 0;
    occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  }

  void reset() {
    counts_ = {};
    size_ = 0;
    occupied_ = {};
  }

  // Returns the earliest cycle, `from` or later, that has a result, or never.
  Cycle next(Cycle from) const {
    if (size_ == 0) return Cycle::never();
    for (std::uint64_t at = from.value;; at = (at | 63) + 1) {
      const std::uint64_t word = occupied_[at % kSpan / 64] & ~std::uint64_t{0} << (at % 64);
      if (word != 0) return Cycle{at - at % 64 + static_cast<std::uint64_t>(__builtin_ctzll(word))};
    }
  }

 private:
  std::array<std::uint8_t, kSpan> counts_{};
  std::size_t size_ = 0;
  std::size_t width_;
  LazyArray<InFlight> due_;
  std::array<std::uint64_t, kSpan / 64> occupied_{};
};

}  // namespace heddle
