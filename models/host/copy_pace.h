#pragma once
// A CopyPace is the pace of the bursts of a DMA engine. Where bandwidth is shared, it tells the execution
// engine what the transfers ask for, and no burst starts before the engine has answered with a share. A burst
// then takes its time over the share's rate, also if the rate changes while the burst is under way.

#include <memory>

#include "models/core/kernel/messages.h"
#include "models/core/link/message_port.h"
#include "models/core/time/progress.h"

namespace heddle {

class CopyPace {
 public:
  // `shares` is the most answers in flight; 0: bandwidth is not shared. `owner` is the name of the block in
  // messages.
  CopyPace(const char* owner, ClockDomain& clock, ClockDomain::Sleeper sleeper, std::size_t shares);
  void reset();

  // Null if bandwidth is not shared.
  RequestSocket<CopyDemand, CopyShare>* bandwidth() { return bandwidth_.get(); }
  bool is_shared() const { return bandwidth_ != nullptr; }

  // Asks for so many bytes of device memory a second, unless that is what was asked for last.
  void ask(std::uint64_t bytes_per_second);
  // Takes the answers that have come.
  void take_shares(Cycle now);

  // Starts a burst that takes this number of cycles at full rate.
  void start_burst(std::uint64_t cycles, Cycle now) {
    left_ = {cycles, 0};
    since_ = now;
    due_ = now + cycles_for(left_, share_.rate);
  }
  // Returns whether the burst that started last has ended.
  bool has_ended(Cycle now) const { return due_ <= now; }
  // Returns whether the share lets another burst start. At full rate the link itself sets the pace of bursts
  // that cross it.
  bool may_start(Cycle now) const {
    return !is_shared() || (share_.granted && (share_.rate == kFullRate || has_ended(now)));
  }

  Cycle end_of_burst() const { return due_; }
  // Returns the next cycle in which an answer comes, or never.
  Cycle next_share(Cycle now) const { return is_shared() ? shares_->due(now) : Cycle::never(); }

 private:
  struct Share {
    CopyDemand asked;
    bool granted = false;  // the answer to `asked` has come
    std::uint32_t rate = kFullRate;
  };

  std::unique_ptr<RequestSocket<CopyDemand, CopyShare>> bandwidth_;
  std::unique_ptr<Inbox<CopyShare>> shares_;
  Share share_;
  // These members describe the burst that started last.
  Progress left_;  // the cycles at full rate that it still took in the cycle since_
  Cycle since_;    // the cycle in which it started, or in which its rate changed
  Cycle due_;      // the cycle in which it ends
};

}  // namespace heddle
