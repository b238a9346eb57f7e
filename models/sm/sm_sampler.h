#pragma once
// The SmSampler makes an SM's samples from the SM's running totals. A sample holds what was added since the
// last sample. Nothing is kept before the first sample is requested.

#include "models/core/kernel/sm_sample.h"

namespace heddle {

class SmSampler {
 public:
  explicit SmSampler(std::uint32_t ksrs);

  // Brings the sampler to its state before the first sample.
  void reset();

  // The KSR belongs to `kernel` from now on. No block of the KSR is on the SM. `counts` are the KSR's totals;
  // what was added to them up to now belongs to the kernel before.
  void set_kernel(KsrId ksr, KernelId kernel, const KernelCounts& counts);

  // Makes a sample up to `now`, not included. The caller calls begin(), then add() for each KSR in order.
  // Both take totals since the start of simulation. The first sample holds everything from that start, and
  // assigns it to the present kernels of the KSRs.
  void begin(Cycle now, const CycleTotals& totals);
  void add(KsrId ksr, std::uint32_t resident, const KernelCounts& counts);
  const SmSample& sample() const { return sample_; }  // valid until the next begin()

 private:
  struct Ksr {
    KernelId kernel;
    KernelCounts sampled;  // the totals at the last sample
  };
  static void append_sample(Ksr& ksr, KsrId id, std::uint32_t resident, const KernelCounts& counts,
                            std::vector<KernelSample>& to);

  bool started_ = false;
  std::vector<Ksr> ksrs_;
  CycleTotals sampled_totals_;
  // Samples of the kernels that another kernel has replaced in their KSR since the last sample.
  std::vector<KernelSample> replaced_;
  SmSample sample_;
};

}  // namespace heddle
