#include "models/sm/sm_sampler.h"

#include <algorithm>

namespace heddle {

SmSampler::SmSampler(std::uint32_t ksrs) : ksrs_(ksrs) {
  replaced_.reserve(ksrs);
  reset();
}

void SmSampler::reset() {
  started_ = false;
  std::fill(ksrs_.begin(), ksrs_.end(), Ksr{});
  sampled_totals_ = {};
  replaced_.clear();
  sample_ = samples_.take();
  sample_->clear(Cycle{});
}

void SmSampler::set_kernel(KsrId id, KernelId kernel, const KernelCounts& counts,
                           const KernelStalls* stalls) {
  Ksr& ksr = ksrs_[id.value];
  if (started_ && ksr.kernel != kernel) append_sample(ksr, id, 0, counts, stalls, replaced_);
  ksr.kernel = kernel;
}

void SmSampler::begin(Cycle now, const CycleTotals& totals) {
  started_ = true;
  const Cycle from = sample_->until;
  sample_ = samples_.take();
  SmSample& sample = *sample_;
  sample.from = from;
  sample.until = now;
  for (std::size_t i = 0; i < kBuckets; ++i)
    sample.totals.buckets[i] = totals.buckets[i] - sampled_totals_.buckets[i];
  sample.totals.issue_slots = totals.issue_slots - sampled_totals_.issue_slots;
  sample.totals.memory_slots = totals.memory_slots - sampled_totals_.memory_slots;
  sampled_totals_ = totals;
  sample.kernels.swap(replaced_);
  replaced_.clear();
}

void SmSampler::add(KsrId id, std::uint32_t resident, const KernelCounts& counts,
                    const KernelStalls* stalls) {
  append_sample(ksrs_[id.value], id, resident, counts, stalls, sample_->kernels);
}

// A kernel without a block on the SM during the window has no entry: one whose blocks have ended has counted
// them.
void SmSampler::append_sample(Ksr& ksr, KsrId id, std::uint32_t resident, const KernelCounts& counts,
                              const KernelStalls* stalls, std::vector<KernelSample>& to) {
  if (resident == 0 && counts == ksr.sampled) return;
  to.push_back({ksr.kernel, id, resident, counts, {}});
  to.back().counts -= ksr.sampled;
  ksr.sampled = counts;
  if (stalls == nullptr) return;
  to.back().stalls = *stalls;
  to.back().stalls -= ksr.sampled_stalls;
  ksr.sampled_stalls = *stalls;
}

}  // namespace heddle
