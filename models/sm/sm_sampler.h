#pragma once
// The SmSampler makes an SM's samples from the SM's running totals. A sample holds what was added since the
// last sample. Nothing is kept before the first sample is requested. Totals of stalls are null on an SM that
// does not count them.

#include <memory>
#include <vector>

#include "models/core/base/recycler.h"
#include "models/core/kernel/sm_sample.h"

namespace heddle {

class SmSampler {
 public:
  explicit SmSampler(std::uint32_t ksrs);

  // Brings the sampler to its state before the first sample.
  void reset();

  // The KSR belongs to `kernel` from now on. No block of the KSR is on the SM. `counts` and `stalls` are
  // the KSR's totals; what was added to them up to now belongs to the kernel before.
  void set_kernel(KsrId ksr, KernelId kernel, const KernelCounts& counts,
                  const KernelStalls* stalls = nullptr);

  // Makes a sample up to `now`, not included. The caller calls begin(), then add() for each KSR in order.
  // They take totals since the start of simulation. The first sample holds everything from that start, and
  // assigns it to the present kernels of the KSRs.
  void begin(Cycle now, const CycleTotals& totals);
  void add(KsrId ksr, std::uint32_t resident, const KernelCounts& counts,
           const KernelStalls* stalls = nullptr);
  // Returns the last sample, which never changes once begin() has been called for the next one.
  std::shared_ptr<const SmSample> sample() const { return sample_; }

 private:
  struct Ksr {
    KernelId kernel;
    KernelCounts sampled;  // the totals at the last sample
    KernelStalls sampled_stalls;
  };
  static void append_sample(Ksr& ksr, KsrId id, std::uint32_t resident, const KernelCounts& counts,
                            const KernelStalls* stalls, std::vector<KernelSample>& to);

  bool started_ = false;
  std::vector<Ksr> ksrs_;
  CycleTotals sampled_totals_;
  // Samples of the kernels that another kernel has replaced in their KSR since the last sample.
  std::vector<KernelSample> replaced_;
  Recycler<SmSample> samples_;
  std::shared_ptr<SmSample> sample_;
};

}  // namespace heddle
