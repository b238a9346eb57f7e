#pragma once
// ShareUpdates tells SMs their shares of bandwidth. A share arrives together with the request that changes
// it: a block is counted from its issue, and a state from the request to store or to load it. What ends on an
// SM is counted until the SM has said so. So the users of a bandwidth never have more than all of it
// together. Until start() nothing is counted, and SMs are told no shares.

#include <cstdint>
#include <vector>

#include "models/engine/bandwidth_shares.h"
#include "models/engine/dispatch_port.h"
#include "models/engine/engine_observers.h"
#include "models/engine/smsr_file.h"

namespace heddle {

class ShareUpdates {
 public:
  // All of these must live as long.
  ShareUpdates(DispatchPort& port, const SmsrFile& smsrs, const EngineObservers& observers)
      : port_(port), smsrs_(smsrs), observers_(observers), told_(smsrs.size()) {}

  void start(BandwidthShares& shares) { shares_ = &shares; }  // which must live as long
  void reset();                                               // the shares are their owner's to reset

  void load(KsrId ksr, const KernelLaunch& launch) {
    if (shares_ != nullptr) shares_->load(ksr, launch);
  }
  void block_issued(SmId sm, KsrId ksr, bool loads_state) {
    if (shares_ == nullptr) return;
    shares_->add_block(sm, ksr);
    if (loads_state) shares_->begin_transfer(sm);
    is_stale_ = is_stale_ || told_[sm.value] != shares_->version();
  }
  void block_left(SmId sm, KsrId ksr) {  // or has stopped, to be saved or flushed
    if (shares_ != nullptr) shares_->remove_block(sm, ksr);
  }
  void state_leaves(SmId sm) {
    if (shares_ != nullptr) shares_->begin_transfer(sm);
  }
  void state_moved(SmId sm) { shares_->end_transfer(sm); }

  // Tells SMs their shares if these have changed; called at the end of a cycle with inputs. An SM without a
  // block is told when it gets one.
  void tell(Cycle now) {
    if (shares_ != nullptr) tell_changes(now);
  }

 private:
  void tell_changes(Cycle now);

  DispatchPort& port_;
  const SmsrFile& smsrs_;
  const EngineObservers& observers_;
  BandwidthShares* shares_ = nullptr;
  std::vector<std::uint64_t> told_;  // by SM: the version, 0 at first
  std::uint64_t version_ = 0;        // that all SMs with a block have been told
  bool is_stale_ = false;            // an SM has a block and may have been told none, or an old one
};

}  // namespace heddle
