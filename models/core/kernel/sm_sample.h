#pragma once
// An SmSample is what an SM has counted in a window of time. The execution engine receives samples, and
// policies read them. The windows of an SM follow each other without a gap, so its samples add up to its
// counters.

#include <algorithm>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/bucket.h"
#include "models/core/kernel/kernel_counts.h"
#include "models/core/kernel/kernel_stalls.h"

namespace heddle {

struct KernelSample {
  KernelId kernel;
  KsrId ksr;                   // the KSR that it was in
  std::uint32_t resident = 0;  // its blocks on the SM at the end of the window
  KernelCounts counts;         // of the window; a timed SM counts blocks only
  KernelStalls stalls;         // of the window; all zero where the SM does not count them
};

struct SmSample {
  Cycle from;          // first core cycle of the window
  Cycle until;         // first core cycle after the window; equal to `from` before the first sample
  CycleTotals totals;  // of the window; all zero on a timed SM
  std::vector<KernelSample> kernels;  // the kernels that had a block on the SM, each once

  // Adds the window that follows this one.
  SmSample& operator+=(const SmSample& next);
  // Begins again with an empty window at this cycle.
  void clear(Cycle at) {
    from = until = at;
    totals = {};
    kernels.clear();
  }

  std::uint64_t cycles() const { return until - from; }
  std::uint64_t cycles(Bucket bucket) const { return totals.buckets[static_cast<std::size_t>(bucket)]; }
  const KernelSample* find(KernelId kernel) const {  // null: it had no block on the SM
    for (const KernelSample& sample : kernels)
      if (sample.kernel == kernel) return &sample;
    return nullptr;
  }
};

inline SmSample& SmSample::operator+=(const SmSample& next) {
  until = next.until;
  for (std::size_t i = 0; i < kBuckets; ++i) totals.buckets[i] += next.totals.buckets[i];
  totals.issue_slots += next.totals.issue_slots;
  totals.memory_slots += next.totals.memory_slots;
  for (KernelSample& kernel : kernels) kernel.resident = 0;
  for (const KernelSample& added : next.kernels) {
    const auto same = [&](const KernelSample& kernel) { return kernel.kernel == added.kernel; };
    const auto found = std::find_if(kernels.begin(), kernels.end(), same);
    if (found == kernels.end()) {
      kernels.push_back(added);
      continue;
    }
    found->resident = added.resident;
    found->counts += added.counts;
    found->stalls += added.stalls;
  }
  return *this;
}

}  // namespace heddle
