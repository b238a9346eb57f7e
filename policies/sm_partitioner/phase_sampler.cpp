#include "policies/sm_partitioner/phase_sampler.h"

#include <algorithm>

namespace heddle {

void PhaseSampler::clear(Sum& sum) {
  sum.ends = sum.blocks = sum.cycles = sum.instructions = sum.blocks_ended = 0;
  sum.l2_misses = sum.issue_slots = sum.memory_slots = 0;
}

void PhaseSampler::begin(std::size_t sms) {
  sums_.resize(sms);
  for (Sum& sum : sums_) clear(sum);
}

void PhaseSampler::add_window(std::size_t sm, const KernelKey& key, KernelId kernel, const SmSample& sample) {
  Sum& sum = sums_[sm];
  if (sum.key != key) clear(sum);
  const KernelSample* here = sample.find(kernel);
  const std::uint32_t resident = here == nullptr ? 0 : here->resident;
  if (sum.key == key && sum.kernel == kernel && sum.resident > 0 && resident > 0) {
    sum.ends += 2;
    sum.blocks += sum.resident + resident;
    sum.cycles += sample.cycles();
    sum.instructions += here->counts.warp_instructions;
    sum.blocks_ended += here->counts.blocks;
    sum.l2_misses += here->counts.l2_misses;
    sum.issue_slots += sample.totals.issue_slots;
    sum.memory_slots += sample.totals.memory_slots;
  }
  sum.key = key;
  sum.kernel = kernel;
  sum.resident = resident;
}

void PhaseSampler::finish(ProfileCurves& curves, const IpcScaling& scaling) const {
  const bool instructions =
      std::any_of(sums_.begin(), sums_.end(), [](const Sum& sum) { return sum.instructions > 0; });
  for (const Sum& sum : sums_) {
    if (sum.cycles == 0) continue;
    const auto cycles = static_cast<double>(sum.cycles);
    const double sampled = static_cast<double>(instructions ? sum.instructions : sum.blocks_ended) / cycles;
    curves.add_measurement(sum.key, sum.count(), scaled(sum, sampled, scaling));
  }
}

double PhaseSampler::scaled(const Sum& sum, double sampled, const IpcScaling& scaling) const {
  if (!is_memory_intensive(sum.key, scaling.misses_per_kilo)) return sampled;
  const double stalls = static_cast<double>(sum.memory_slots) / static_cast<double>(sum.issue_slots);
  return scaled_ipc(sampled, stalls, bandwidth_change(scaling.reading, sum.count(), average_blocks(sum.key)));
}

bool PhaseSampler::is_memory_intensive(const KernelKey& key, double misses_per_kilo) const {
  std::uint64_t misses = 0;
  std::uint64_t instructions = 0;
  for (const Sum& sum : sums_) {
    if (sum.cycles == 0 || sum.key != key) continue;
    misses += sum.l2_misses;
    instructions += sum.instructions;
  }
  return instructions > 0 &&
         1000.0 * static_cast<double>(misses) >= misses_per_kilo * static_cast<double>(instructions);
}

// The mean number of blocks on an SM of the kernel.
double PhaseSampler::average_blocks(const KernelKey& key) const {
  double blocks = 0;
  double sms = 0;
  for (const Sum& sum : sums_) {
    if (sum.cycles == 0 || sum.key != key) continue;
    blocks += sum.count();
    ++sms;
  }
  return blocks / sms;
}

}  // namespace heddle
