#pragma once
// SmTotals has sums over the cycle SMs: the counts of the kernels by KSR, and the SMs' cycles by bucket. The
// stall categories of papers are formulas over these cycles.

#include <array>
#include <memory>
#include <vector>

#include "models/sm/cycle_sm.h"
#include "models/stats/group.h"

namespace heddle {

class SmTotals {
 public:
  SmTotals(const std::vector<CycleSm*>& sms, std::uint32_t ksrs, Group& gpu);

  // Returns the stalls of the kernels with this tag, summed over the SMs, as of their last update_stats().
  KernelStalls stalls(ContextId context, std::uint32_t tag) const;

  void update();  // called after update_stats() of every SM
  const Counter& cycles(Bucket bucket) const { return cycles_[static_cast<std::size_t>(bucket)]; }
  // Returns the value of one KSR, and the sum over the KSRs, as of the last update().
  std::uint64_t of(KsrId ksr, std::uint64_t KernelCounts::*value) const {
    return kernels_[ksr.value]->counter(value).value();
  }
  // Returns the issue slots of the bucket: its cycles of each scheduler, summed over the SMs as of the last
  // update().
  const Counter& slots(Bucket bucket) const { return slots_[static_cast<std::size_t>(bucket)]; }
  // Returns the sum over the KSRs as of the last update().
  std::uint64_t sum(std::uint64_t KernelCounts::*value) const;

 private:
  void add_categories(Group& group);

  std::vector<CycleSm*> sms_;
  std::vector<std::unique_ptr<KernelStats>> kernels_;  // by KSR
  std::array<Counter, kBuckets> cycles_;
  std::array<Counter, kBuckets> slots_;
};

}  // namespace heddle
