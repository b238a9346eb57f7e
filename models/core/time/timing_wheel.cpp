#include "models/core/time/timing_wheel.h"

#include <algorithm>

namespace heddle {

TimingWheel::Sleeper TimingWheel::add() {
  due_.push_back(Cycle::never());
  bits_.assign((due_.size() + 63) / 64 * kSlots, 0);
  return due_.size() - 1;
}

void TimingWheel::reset() {
  std::fill(due_.begin(), due_.end(), Cycle::never());
  passed_ = Cycle{0};
  slide_to(Cycle{0});
}

Cycle TimingWheel::next() {
  for (Cycle cycle = passed_; cycle - base_ < kSlots;) {
    const std::size_t slot = cycle.value % kSlots;
    const std::uint64_t rest = occupied_[slot / 64] >> (slot % 64);
    if (rest == 0) {  // nothing in the rest of this word
      cycle = cycle + (64 - slot % 64);
      continue;
    }
    cycle = cycle + static_cast<std::uint64_t>(__builtin_ctzll(rest));
    if (!(cycle - base_ < kSlots)) break;
    if (anyone_due_at(cycle)) return cycle;
    occupied_[cycle.value % kSlots / 64] &= ~(std::uint64_t{1} << (cycle.value % 64));
    cycle = cycle + 1;
  }
  return due_.empty() ? Cycle::never() : *std::min_element(due_.begin(), due_.end());
}

// Clears the bits of sleepers that have been woken earlier, up to the first sleeper that is still due.
bool TimingWheel::anyone_due_at(Cycle cycle) {
  std::uint64_t* word = bits_.data() + cycle.value % kSlots;
  for (std::size_t first = 0; first < due_.size(); first += 64, word += kSlots)
    for (; *word != 0; *word &= *word - 1)
      if (due_[first + static_cast<std::size_t>(__builtin_ctzll(*word))] == cycle) return true;
  return false;
}

void TimingWheel::slide_to(Cycle base) {
  base_ = base;
  std::fill(bits_.begin(), bits_.end(), 0);
  occupied_.fill(0);
  for (Sleeper sleeper = 0; sleeper < due_.size(); ++sleeper)
    if (due_[sleeper] - base_ < kSlots) mark(sleeper, due_[sleeper]);
}

}  // namespace heddle
