#pragma once
// A TimingWheel holds one due cycle for each sleeper, the earliest that was asked for. A window of 256 cycles
// has a bit for each sleeper and cycle. A cycle beyond the window is kept as a number and is looked at once a
// window. So nothing is sorted, and nothing is allocated once all sleepers are known.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

class TimingWheel {
 public:
  using Sleeper = std::size_t;

  // All sleepers are added before the first wake_at().
  Sleeper add();
  std::size_t sleepers() const { return due_.size(); }
  // Drops every wake that was asked for, and starts again at cycle 0. The sleepers stay.
  void reset();

  // Asks for a wake at `cycle`, which is after the last expired cycle. An earlier wake that was asked for
  // stays.
  void wake_at(Sleeper sleeper, Cycle cycle) {
    if (!(cycle < due_[sleeper])) return;
    due_[sleeper] = cycle;
    if (cycle - base_ < kSlots) mark(sleeper, cycle);
  }

  // Returns the earliest cycle at which a sleeper is due, or never.
  Cycle next();

  // Returns an estimate of the number of sleepers that are due at `cycle`. It also counts sleepers that asked
  // for the cycle and were then woken before it. It is 0 for a cycle beyond the window.
  std::size_t marked_at(Cycle cycle) const {
    const std::size_t slot = cycle.value % kSlots;
    std::size_t marked = 0;
    for (std::size_t w = 0; w < bits_.size(); w += kSlots)
      marked += static_cast<std::size_t>(__builtin_popcountll(bits_[w + slot]));
    return marked;
  }

  // Calls wake(sleeper) for every sleeper that is due at `cycle`, in order of their numbers. Each may ask for
  // a further wake.
  template <class Wake>
  void expire(Cycle cycle, Wake wake) {
    if (!(cycle - base_ < kSlots)) slide_to(cycle);
    const std::size_t slot = cycle.value % kSlots;
    occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    std::uint64_t* word = bits_.data() + slot;
    Cycle* due = due_.data();
    for (std::size_t first = 0; first < due_.size(); first += 64, word += kSlots, due += 64) {
      while (*word != 0) {
        const auto bit = static_cast<std::size_t>(__builtin_ctzll(*word));
        *word &= *word - 1;
        if (due[bit] != cycle) continue;  // the sleeper has been woken at an earlier cycle
        due[bit] = Cycle::never();
        wake(first + bit);
      }
    }
    passed_ = cycle + 1;
  }

 private:
  static constexpr std::size_t kSlots = 256;

  void mark(Sleeper sleeper, Cycle cycle) {
    const std::size_t slot = cycle.value % kSlots;
    bits_[sleeper / 64 * kSlots + slot] |= std::uint64_t{1} << (sleeper % 64);
    occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  void slide_to(Cycle base);
  bool anyone_due_at(Cycle cycle);

  std::vector<Cycle> due_;
  std::vector<std::uint64_t> bits_;  // [word][slot]
  std::array<std::uint64_t, kSlots / 64> occupied_{};
  Cycle base_{0};    // first cycle of the window
  Cycle passed_{0};  // first cycle that has not been expired
};

}  // namespace heddle
