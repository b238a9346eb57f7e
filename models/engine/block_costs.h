#pragma once
// The costs of handing SMs over, computed from KSRs and SMSRs when a policy asks.

#include "models/engine/ksr_file.h"
#include "models/engine/smsr_file.h"
#include "policies/handover_cost.h"

namespace heddle {

class BlockCosts final : public HandoverCosts {
 public:
  // Both files must live as long.
  BlockCosts(const KsrFile& ksrs, const SmsrFile& smsrs) : ksrs_(ksrs), smsrs_(smsrs) {}

  void set_time(Cycle now) { now_ = now; }  // the cycle for which costs are read
  void reset() { now_ = Cycle{}; }
  void read(SmId sm, KsrId kernel, std::vector<HandoverCost>& costs) const override;

 private:
  const KsrFile& ksrs_;
  const SmsrFile& smsrs_;
  Cycle now_;
};

}  // namespace heddle
