#pragma once
// The AccessQueue holds memory instructions that have their operands and wait for their accesses to the
// caches or to shared memory. They leave it in the order in which they came. The oldest one makes its
// accesses when it has been in the queue for the latency of the load/store unit. An element of the queue is
// the number of the instruction's entry in the AddressUnit.

#include <algorithm>
#include <cstdint>

#include "models/core/base/ids.h"
#include "models/core/base/ring.h"

namespace heddle {

class AccessQueue {
 public:
  // `latency` is in cycles from the collectors to the first access.
  explicit AccessQueue(std::uint32_t latency) : latency_(latency), entries_(latency + 1) {}

  void reset() {
    entries_.clear();
    busy_cycles_ = 0;
    left_ = Cycle{0};
  }

  bool full() const { return entries_.full(); }
  void push(std::uint32_t entry, Cycle now) { entries_.push({now + latency_, entry}); }
  // Returns when the oldest instruction can make an access, or never if there is none.
  Cycle due() const { return entries_.empty() ? Cycle::never() : entries_.front().due; }
  std::uint32_t front() const { return entries_.front().entry; }
  // Removes the oldest instruction, which has made its last access in this cycle.
  void pop(Cycle now) {
    busy_cycles_ += now + 1 - std::max(due(), left_);
    left_ = now + 1;
    entries_.pop();
  }

  // Returns the cycles before `now` in which an instruction was at the head, whether it made an access or was
  // refused.
  std::uint64_t busy_cycles(Cycle now) const {
    const std::uint64_t before = busy_cycles_ - (left_ > now ? 1 : 0);  // one may have left in this cycle
    if (entries_.empty()) return before;
    const Cycle since = std::max(due(), left_);
    return before + (std::max(since, now) - since);
  }

 private:
  struct Waiting {
    Cycle due;
    std::uint32_t entry;
  };

  const std::uint32_t latency_;
  Ring<Waiting> entries_;
  std::uint64_t busy_cycles_ = 0;  // of the instructions that have left
  Cycle left_{0};                  // the cycle after the last instruction left
};

}  // namespace heddle
