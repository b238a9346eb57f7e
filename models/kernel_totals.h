#pragma once
// What every kernel did, summed over the SMs: one group of statistics for each KSR.

#include <memory>
#include <vector>

#include "models/sm/cycle_sm.h"

namespace heddle {

class KernelTotals {
 public:
  KernelTotals(const std::vector<CycleSm*>& sms, std::uint32_t ksrs, Group& gpu) : sms_(sms) {
    Group& kernels = gpu.child("kernels");
    for (std::uint32_t i = 0; i < ksrs; ++i)
      stats_.push_back(std::make_unique<KernelStats>(kernels.child("ksr" + std::to_string(i))));
  }

  // To be called after the SMs' own.
  void settle() {
    for (std::uint32_t i = 0; i < stats_.size(); ++i) {
      KernelCounts sum;
      for (const CycleSm* sm : sms_) sum += sm->logic().counts(KsrId{i});
      stats_[i]->set(sum);
    }
  }

 private:
  std::vector<CycleSm*> sms_;
  std::vector<std::unique_ptr<KernelStats>> stats_;  // by KSR
};

}  // namespace heddle
