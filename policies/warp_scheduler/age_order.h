#pragma once
// The warp slots in the order in which their warps started, the oldest first.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle {

class AgeOrder {
 public:
  AgeOrder() { slots_.reserve(64); }

  void started(std::uint32_t slot) { slots_.push_back(slot); }
  void ended(std::uint32_t slot) { slots_.erase(std::find(slots_.begin(), slots_.end(), slot)); }
  void clear() { slots_.clear(); }

  const std::vector<std::uint32_t>& slots() const { return slots_; }  // the oldest first

  // The slot of the oldest warp in the mask, which holds at least one warp of this order.
  std::uint32_t oldest(std::uint64_t mask) const {
    std::size_t i = 0;
    while ((mask >> slots_[i] & 1) == 0) ++i;
    return slots_[i];
  }
  // The same of the youngest warp.
  std::uint32_t youngest(std::uint64_t mask) const {
    std::size_t i = slots_.size() - 1;
    while ((mask >> slots_[i] & 1) == 0) --i;
    return slots_[i];
  }

 private:
  std::vector<std::uint32_t> slots_;
};

}  // namespace heddle
