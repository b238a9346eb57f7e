#include "models/host/copy_pace.h"

namespace heddle {

CopyPace::CopyPace(const char* owner, ClockDomain& clock, ClockDomain::Sleeper sleeper, std::size_t shares) {
  if (shares == 0) return;
  bandwidth_ = std::make_unique<RequestSocket<CopyDemand, CopyShare>>("bandwidth");
  shares_ = std::make_unique<Inbox<CopyShare>>(owner, clock, sleeper, shares);
  bandwidth_->bind(*shares_);
}

void CopyPace::reset() {
  left_ = {};
  since_ = due_ = Cycle{};
  if (is_shared()) shares_->reset();
  share_ = {};
}

void CopyPace::ask(std::uint64_t bytes_per_second) {
  if (bytes_per_second == share_.asked.bytes_per_second) return;
  share_.asked = {share_.asked.number + 1, bytes_per_second};
  share_.granted = false;
  (*bandwidth_)->receive(share_.asked, 1);
}

void CopyPace::take_shares(Cycle now) {
  for (; shares_->has(now); shares_->pop()) {
    const CopyShare& share = shares_->front();
    if (share.number != share_.asked.number) continue;
    if (due_ > now) {
      const Progress made = progress_in(now - since_, share_.rate);
      left_ = made < left_ ? left_ - made : Progress{};
      since_ = now;
      due_ = now + cycles_for(left_, share.rate);
    }
    share_.granted = true;
    share_.rate = share.rate;
  }
}

}  // namespace heddle
