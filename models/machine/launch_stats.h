#pragma once
// LaunchStats registers what the launches of a kernel have caused, LaunchCounts, as statistics.

#include <memory>
#include <vector>

#include "models/core/kernel/launch_counts.h"
#include "models/sm/kernel_stats.h"
#include "models/sm/spec/execution_spec.h"
#include "models/stats/group.h"

namespace heddle {

// Has a counter for each field of a struct of counts.
template <class Counts>
class CountStats {
 public:
  explicit CountStats(Group& group) {
    for (std::size_t i = 0; i < counters_.size(); ++i) {
      const CountField<Counts> field = Counts::fields()[i];
      group.add(counters_[i], field.name, field.unit, field.description);
    }
  }
  CountStats(const CountStats&) = delete;
  CountStats& operator=(const CountStats&) = delete;

  void set(const Counts& counts) {
    for (std::size_t i = 0; i < counters_.size(); ++i) counters_[i].set(counts.*Counts::fields()[i].value);
  }
  const Counter& counter(std::uint64_t Counts::*value) const {
    std::size_t i = 0;
    while (Counts::fields()[i].value != value) ++i;
    return counters_[i];
  }

 private:
  std::array<Counter, Counts::fields().size()> counters_;
};

class LaunchStats {
 public:
  // `group` is that of the kernel.
  LaunchStats(const ExecutionSpec& spec, Group& group);

  void set(const LaunchCounts& counts);

 private:
  KernelStats sm_;
  CountStats<CrossbarCounts> crossbar_;
  CountStats<L2Counts> l2_;
  CountStats<DramCounts> dram_;
  std::unique_ptr<KernelStallStats> stalls_;  // null if they are not counted
};

}  // namespace heddle
