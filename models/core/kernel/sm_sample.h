#pragma once
// What an SM has done in a window of time, as it tells the execution engine and policies read it. The windows
// of an SM follow each other without a gap, so its samples add up to its counters.

#include <vector>

#include "models/core/kernel/bucket.h"
#include "models/core/base/ids.h"
#include "models/core/kernel/kernel_counts.h"

namespace heddle {

struct KernelSample {
  KernelId kernel;
  KsrId ksr;                   // where it was
  std::uint32_t resident = 0;  // its blocks on the SM as the window closed
  KernelCounts counts;         // of the window; a timed SM counts blocks alone
};

struct SmSample {
  Cycle from;                         // first core cycle of the window
  Cycle until;                        // first one after it; equal: no sample has been taken yet
  BucketCycles buckets{};             // its cycles by what they went to; a timed SM has none of these
  std::vector<KernelSample> kernels;  // that had a block there, each once

  std::uint64_t cycles() const { return until - from; }
  std::uint64_t cycles(Bucket bucket) const { return buckets[static_cast<std::size_t>(bucket)]; }
  const KernelSample* find(KernelId kernel) const {  // null: it had none there
    for (const KernelSample& sample : kernels)
      if (sample.kernel == kernel) return &sample;
    return nullptr;
  }
};

}  // namespace heddle
