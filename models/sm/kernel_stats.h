#pragma once
// KernelStats registers every field of KernelCounts as a statistic, and the ratios of these fields as
// formulas.

#include <array>
#include <vector>

#include "models/core/kernel/bucket.h"
#include "models/core/kernel/kernel_counts.h"
#include "models/core/kernel/kernel_stalls.h"
#include "models/stats/group.h"

namespace heddle {

class KernelStats {
 public:
  explicit KernelStats(Group& group);
  KernelStats(const KernelStats&) = delete;
  KernelStats& operator=(const KernelStats&) = delete;

  void set(const KernelCounts& counts);
  const Counter& counter(std::uint64_t KernelCounts::*value) const;

 private:
  std::array<Counter, KernelCounts::kFields> counters_;  // by field
};

// KernelStallStats registers the stalls of a kernel as statistics, in two readings: the first reason of the
// stall order for which some warp waits, and the reason for which all warps wait. The cycles of either
// reading and the active ones add up to the cycles with a block of the kernel on an SM.
class KernelStallStats {
 public:
  // `order` is the stall order.
  KernelStallStats(const std::vector<Bucket>& order, Group& group);
  KernelStallStats(const KernelStallStats&) = delete;
  KernelStallStats& operator=(const KernelStallStats&) = delete;

  void set(const KernelStalls& stalls);

 private:
  using ByReason = std::array<Counter, kWaitReasons>;

  const std::vector<Bucket> order_;
  Counter cycles_;
  Counter active_;
  ByReason some_;  // by place in the stall order
  ByReason all_;   // by place in the stall order
  Counter mixed_;
  Counter no_warp_;
};

}  // namespace heddle
