#pragma once
// A RefreshTimer says when the next of a row of refreshes is issued. One is due in every interval, and the
// policy `refresh_policy` chooses within the time by which it may be postponed.

#include <memory>
#include <string>

#include "models/core/base/check.h"
#include "models/dram/dram_spec.h"
#include "policies/refresh_policy/i_refresh_policy.h"

namespace heddle {

class RefreshTimer {
 public:
  // `postpone` is the most cycles (CK) from the cycle in which a refresh is due to its issue. Without an
  // interval, which is 0, no refresh is ever due.
  RefreshTimer(const PolicyChoice& policy, std::uint64_t interval, std::uint64_t postpone)
      : interval_(interval), postpone_(postpone), policy_(PolicyRegistry<RefreshPolicy>::make(policy)) {
    start();
  }

  void reset() {
    policy_->reset();
    start();
  }

  // The cycle from which the refresh is issued if no request waits for its banks, and the one from which it
  // is issued whether or not one does; never if no refresh is due.
  Cycle when_idle() const { return times_.when_idle; }
  Cycle when_busy() const { return times_.when_busy; }
  Cycle when(bool is_idle) const { return is_idle ? times_.when_idle : times_.when_busy; }

  // The refresh has been issued.
  void advance() {
    due_ = due_ + interval_;
    ask();
  }

 private:
  void start() {
    due_ = Cycle{interval_};
    if (interval_ == 0)
      times_ = {Cycle::never(), Cycle::never()};
    else
      ask();
  }
  void ask() {
    const Cycle latest = due_ + postpone_;
    times_ = policy_->decide({due_, interval_, latest});
    HEDDLE_CHECK(
        due_ <= times_.when_idle && times_.when_idle <= times_.when_busy && times_.when_busy <= latest,
        "refresh policy", due_, "a refresh between {} and {} is issued at {} or at {}", due_.value,
        latest.value, times_.when_idle.value, times_.when_busy.value);
  }

  const std::uint64_t interval_;
  const std::uint64_t postpone_;
  const std::unique_ptr<RefreshPolicy> policy_;
  Cycle due_;
  RefreshTimes times_{};
};

}  // namespace heddle
