#include "models/engine/share_updates.h"

#include <algorithm>

namespace heddle {

void ShareUpdates::reset() {
  std::fill(told_.begin(), told_.end(), 0);
  version_ = 0;
  is_stale_ = false;
}

void ShareUpdates::tell_changes(Cycle now) {
  shares_->update();
  if (shares_->version() == version_ && !is_stale_) return;
  if (shares_->version() != version_)
    observers_.tell(&EngineObserver::shares_changed, now, *shares_->table());
  version_ = shares_->version();
  is_stale_ = false;
  for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm) {
    if (told_[sm] == version_ || smsrs_[sm].resources.held().empty()) continue;
    told_[sm] = version_;
    port_.share(SmId{sm}, shares_->table());
  }
}

}  // namespace heddle
