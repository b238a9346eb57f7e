#pragma once
// Makes an SM's samples of its running totals: what has been added since the last one. It keeps nothing until
// the first is asked for.

#include "models/core/kernel/sm_sample.h"

namespace heddle {

class SmSampler {
 public:
  explicit SmSampler(std::uint32_t ksrs);

  // No sample has been asked for, afterwards.
  void reset();

  // The KSR stands for this kernel from now on; no block is there. Up to now its counters have grown for the
  // kernel before.
  void set_kernel(KsrId ksr, KernelId kernel, const KernelCounts& counts);

  // A sample up to `now`, not included: begin(), then add() for each KSR in order, both with totals since the
  // start of simulation. The first one holds all that came before, for the kernels that the KSRs stand for.
  void begin(Cycle now, const BucketCycles& buckets);
  void add(KsrId ksr, std::uint32_t resident, const KernelCounts& counts);
  const SmSample& sample() const { return sample_; }  // as it is until the next begin()

 private:
  struct Ksr {
    KernelId kernel;
    KernelCounts told;  // what samples hold
  };
  static void tell(Ksr& ksr, KsrId id, std::uint32_t resident, const KernelCounts& counts,
                   std::vector<KernelSample>& to);

  bool started_ = false;
  std::vector<Ksr> ksrs_;
  BucketCycles told_{};
  std::vector<KernelSample> replaced_;  // since the last sample, by another kernel in their KSR
  SmSample sample_;
};

}  // namespace heddle
