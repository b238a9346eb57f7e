#include "models/sm/sm_sampler.h"

#include <algorithm>

namespace heddle {

SmSampler::SmSampler(std::uint32_t ksrs) : ksrs_(ksrs) {
  replaced_.reserve(ksrs);
  sample_.kernels.reserve(ksrs);
}

void SmSampler::reset() {
  started_ = false;
  std::fill(ksrs_.begin(), ksrs_.end(), Ksr{});
  sampled_totals_ = {};
  replaced_.clear();
  sample_.from = sample_.until = Cycle{};
  sample_.totals = {};
  sample_.kernels.clear();
}

void SmSampler::set_kernel(KsrId id, KernelId kernel, const KernelCounts& counts) {
  Ksr& ksr = ksrs_[id.value];
  if (started_ && ksr.kernel != kernel) append_sample(ksr, id, 0, counts, replaced_);
  ksr.kernel = kernel;
}

void SmSampler::begin(Cycle now, const CycleTotals& totals) {
  started_ = true;
  sample_.from = sample_.until;
  sample_.until = now;
  for (std::size_t i = 0; i < kBuckets; ++i)
    sample_.totals.buckets[i] = totals.buckets[i] - sampled_totals_.buckets[i];
  sample_.totals.issue_slots = totals.issue_slots - sampled_totals_.issue_slots;
  sample_.totals.memory_slots = totals.memory_slots - sampled_totals_.memory_slots;
  sampled_totals_ = totals;
  sample_.kernels.swap(replaced_);
  replaced_.clear();
}

void SmSampler::add(KsrId id, std::uint32_t resident, const KernelCounts& counts) {
  append_sample(ksrs_[id.value], id, resident, counts, sample_.kernels);
}

void SmSampler::append_sample(Ksr& ksr, KsrId id, std::uint32_t resident, const KernelCounts& counts,
                              std::vector<KernelSample>& to) {
  if (resident == 0 && counts == ksr.sampled) return;
  to.push_back({ksr.kernel, id, resident, counts, {}});
  to.back().counts -= ksr.sampled;
  ksr.sampled = counts;
}

}  // namespace heddle
