#pragma once
// An AllowedSms is a partitioner that decides for each context on which SMs it may run (may_hold()), and
// nothing else. On an SM that several contexts may use, their kernels share it as under `left-over`.

#include "policies/sm_partitioner/demand.h"

namespace heddle {

class AllowedSms : public SmPartitioner {
 public:
  void partition(const MachineView& machine, Partition& partition) final {
    share_allowed_sms(*this, machine, partition);
  }
  IssueOrder issue_order() const final { return IssueOrder::kOneAfterAnother; }
  bool shares_sms() const final { return true; }
  bool honours_sm_sets() const final { return true; }
  bool turns_by_context() const final { return true; }
};

}  // namespace heddle
