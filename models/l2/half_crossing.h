#pragma once
// The HalfCrossing is the way of a slice's replies to the SMs of the other half of L2. It has a latency and a
// width.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/cache/tag_array.h"
#include "models/core/base/ids.h"
#include "models/l2/l2_spec.h"

namespace heddle {

class HalfCrossing {
 public:
  // The slice of so many lines belongs to the half of this number.
  HalfCrossing(const L2Spec& spec, std::uint32_t half, std::uint32_t lines)
      : spec_(spec), half_(half), due_(spec.far_latency > 0 ? lines : 0) {}
  void reset() {
    free_ = Cycle{0};
    std::fill(due_.begin(), due_.end(), Cycle{0});
  }

  bool is_far(SmId sm) const { return spec_.far_latency > 0 && spec_.gpcs.half_of(sm) != half_; }
  // Data cross to the other half. Returns the cycles from now to their arrival, if they could leave at once.
  std::uint64_t cross(std::uint32_t bytes, Cycle now) {
    const Cycle starts = std::max(now, free_);
    free_ = starts + (bytes + spec_.far_bytes - 1) / spec_.far_bytes;
    return starts - now + spec_.far_latency;
  }
  std::uint64_t latency() const { return spec_.far_latency; }
  // The copy of a line arrives in this cycle.
  void set_due(TagArray::Line line, Cycle due) { due_[line] = due; }
  // Returns the cycles from `ready` to the arrival of the line's copy; 0 if the copy is there by then.
  std::uint64_t wait(TagArray::Line line, Cycle ready) const {
    return due_[line] > ready ? due_[line] - ready : 0;
  }

 private:
  const L2Spec& spec_;
  const std::uint32_t half_;
  Cycle free_{0};           // from when on the next data can leave
  std::vector<Cycle> due_;  // by line: when its copy arrives; empty: L2 is one
};

}  // namespace heddle
