#pragma once
// A partitioner that decides as another policy does and records every sample that it receives.

#include <memory>
#include <utility>
#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle::test {

class SampleReader final : public SmPartitioner {
 public:
  // `period` is in core cycles; 0 turns samples off. `decides` names the policy that decides.
  explicit SampleReader(std::uint64_t period, const char* decides = "fcfs-m")
      : period_(period), policy_(PolicyRegistry<SmPartitioner>::make({decides, {}})) {}

  std::uint64_t sample_period() const override { return period_; }

  void partition(const MachineView& machine, Partition& partition) override {
    ++asked_;
    policy_->partition(machine, partition);
    samples_.resize(machine.sms.size());
    for (std::size_t sm = 0; sm < machine.sms.size(); ++sm) {
      const SmSample& latest = machine.sms[sm].sample;
      const Cycle last = samples_[sm].empty() ? Cycle{0} : samples_[sm].back().until;
      if (latest.until != last) samples_[sm].push_back(latest);
    }
  }

  std::uint64_t asked() const { return asked_; }
  std::size_t sms() const { return samples_.size(); }
  const std::vector<SmSample>& of(std::size_t sm) const { return samples_[sm]; }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> windows(std::size_t sm) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> windows;
    for (const SmSample& sample : samples_[sm]) windows.emplace_back(sample.from.value, sample.until.value);
    return windows;
  }
  // Returns the sum over all SMs, of this kernel or, for KernelId::none(), of all kernels.
  KernelCounts sum(KernelId kernel = KernelId::none()) const {
    KernelCounts sum;
    for (const std::vector<SmSample>& samples : samples_)
      for (const SmSample& sample : samples)
        for (const KernelSample& entry : sample.kernels)
          if (!kernel.valid() || entry.kernel == kernel) sum += entry.counts;
    return sum;
  }

 private:
  const std::uint64_t period_;
  std::unique_ptr<SmPartitioner> policy_;
  std::uint64_t asked_ = 0;
  std::vector<std::vector<SmSample>> samples_;  // by SM
};

}  // namespace heddle::test
