#pragma once
// SmTotals has sums over the cycle SMs: their cycles by bucket. The stall categories of papers are formulas
// over these cycles.

#include <array>
#include <vector>

#include "models/sm/sm_core.h"
#include "models/stats/group.h"

namespace heddle {

class SmTotals {
 public:
  SmTotals(const std::vector<SmCore*>& sms, Group& gpu);

  void update();  // called after update_stats() of every SM
  const Counter& cycles(Bucket bucket) const { return cycles_[static_cast<std::size_t>(bucket)]; }
  // Returns the issue slots of the bucket: its cycles of each scheduler, summed over the SMs as of the last
  // update().
  const Counter& slots(Bucket bucket) const { return slots_[static_cast<std::size_t>(bucket)]; }
  // Returns the sum over the SMs as of their last update_stats().
  std::uint64_t sum(std::uint64_t KernelCounts::*value) const;

 private:
  void add_categories(Group& group);

  const std::vector<SmCore*> sms_;
  std::array<Counter, kBuckets> cycles_;
  std::array<Counter, kBuckets> slots_;
};

}  // namespace heddle
