// How an SmDriver tells SMs their shares of bandwidth. A share arrives together with the request that changes
// it: a block is counted from its issue, and a state from the request to store or to load it. What ends on an
// SM is counted until the SM has said so. So the users of a bandwidth never have more than all of it
// together.

#include "models/engine/sm_driver.h"

namespace heddle {

void SmDriver::share(BandwidthShares& shares) {
  shares_ = &shares;
  shares_told_.assign(smsrs_.size(), 0);
}

// An SM without a block is told when it gets one.
void SmDriver::tell_shares() {
  shares_->update();
  if (shares_->version() == shares_version_ && !shares_stale_) return;
  if (shares_->version() != shares_version_)
    for (EngineObserver* observer : observers_) observer->shares_changed(view_.now, shares_->table());
  shares_version_ = shares_->version();
  shares_stale_ = false;
  for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm) {
    if (shares_told_[sm] == shares_version_ || smsrs_[sm].resources.held().empty()) continue;
    shares_told_[sm] = shares_version_;
    port_.share(SmId{sm}, shares_->table());
  }
}

}  // namespace heddle
