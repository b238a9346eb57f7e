#pragma once
// What is counted for kernels, as statistics.

#include <memory>
#include <vector>

#include "models/core/kernel/kernel_counts.h"
#include "models/stats/group.h"

namespace heddle {

// Each field with unit and description, and the ratios of them.
class KernelStats {
 public:
  explicit KernelStats(Group& group);
  void set(const KernelCounts& counts);
  const Counter& counter(std::uint64_t KernelCounts::*value) const;

 private:
  std::vector<std::unique_ptr<Counter>> counters_;  // by field
};

}  // namespace heddle
