#pragma once
// Sums over the cycle SMs: what every kernel did, a group of statistics for each KSR, and where the SMs'
// cycles went, with the categories of the papers as ratios of them.

#include <array>
#include <memory>
#include <vector>

#include "models/sm/cycle_sm.h"
#include "models/stats/group.h"

namespace heddle {

class SmTotals {
 public:
  SmTotals(const std::vector<CycleSm*>& sms, std::uint32_t ksrs, Group& gpu);

  void settle();  // to be called after the SMs' own
  const Counter& cycles(Bucket bucket) const { return cycles_[static_cast<std::size_t>(bucket)]; }
  std::uint64_t transactions() const;  // requests of loads and stores to L2, of all kernels

 private:
  void add_categories(Group& group);

  std::vector<CycleSm*> sms_;
  std::vector<std::unique_ptr<KernelStats>> kernels_;  // by KSR
  std::array<Counter, kBuckets> cycles_;
};

}  // namespace heddle
