#pragma once
// Results by the cycle at which they are due, a few for each cycle: a ring of `span` cycles.

#include <cstdint>
#include <vector>

#include "models/core/ids.h"
#include "models/sm/operand_collector.h"

namespace heddle {

class ResultCalendar {
 public:
  // span: a power of two, 64 or more; nothing is entered that far ahead. width: results of one cycle.
  ResultCalendar(std::size_t span, std::uint32_t width)
      : mask_(span - 1), width_(width), counts_(span), due_(span * width), occupied_(span / 64) {}

  std::size_t size() const { return size_; }
  std::uint32_t count(Cycle cycle) const { return counts_[cycle.value & mask_]; }
  const InFlight& at(Cycle cycle, std::uint32_t i) const { return due_[(cycle.value & mask_) * width_ + i]; }

  void enter(Cycle cycle, const InFlight& instruction) {
    const std::size_t slot = cycle.value & mask_;
    due_[slot * width_ + counts_[slot]++] = instruction;
    occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    ++size_;
  }
  void clear(Cycle cycle) {
    const std::size_t slot = cycle.value & mask_;
    size_ -= counts_[slot];
    counts_[slot] = 0;
    occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  }

  // The earliest cycle with a result, `from` or later; never if there is none.
  Cycle next(Cycle from) const {
    if (size_ == 0) return Cycle::never();
    for (std::uint64_t at = from.value;; at = (at | 63) + 1) {
      const std::uint64_t word = occupied_[(at & mask_) / 64] & ~std::uint64_t{0} << (at % 64);
      if (word != 0) return Cycle{at - at % 64 + static_cast<std::uint64_t>(__builtin_ctzll(word))};
    }
  }

 private:
  std::size_t mask_;
  std::uint32_t width_;
  std::vector<std::uint8_t> counts_;
  std::vector<InFlight> due_;
  std::vector<std::uint64_t> occupied_;
  std::size_t size_ = 0;
};

}  // namespace heddle
