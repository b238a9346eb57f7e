#pragma once
// KernelStats registers every field of KernelCounts as a statistic, and the ratios of these fields as
// formulas.

#include <array>

#include "models/core/kernel/kernel_counts.h"
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

}  // namespace heddle
