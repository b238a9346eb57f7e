#pragma once
// What is counted for kernels, as statistics: every field of KernelCounts, and the ratios of them.

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
