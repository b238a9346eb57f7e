#pragma once
// A WakeRule computes the cycle in which a port next needs a tick of the block that owns it. All ports have
// the same rule: due(now) is the next cycle after `now` in which the block can take an arrival or send
// something that it could not take or send at `now`. A block ends its tick with a wake for the earliest cycle
// among those of its ports and of its own work.
//
// The tick of a block uses up the wakes that were requested earlier in the same cycle. Therefore due(now)
// includes every arrival of the cycle `now`, both those before the block's tick and those after it. The block
// is then ticked in the same cycles, whatever the order of the calls within a cycle.

#include <algorithm>

#include "models/core/base/ids.h"

namespace heddle {

// Returns `cycle`, or never if it is not after `now`.
inline Cycle after(Cycle now, Cycle cycle) {
  return cycle > now ? cycle : Cycle::never();
}

class WakeRule {
 public:
  void reset() { *this = {}; }

  // take_from() sets the first cycle in which the block takes arrivals, and send_from() the first cycle in
  // which it sends. Both are cycle 0 at first. Cycle::never() means that the block takes or sends nothing
  // until the next call.
  void take_from(Cycle cycle) { take_from_ = cycle; }
  void send_from(Cycle cycle) { send_from_ = cycle; }
  bool sends() const { return send_from_ != Cycle::never(); }

  // Records an arrival: it came in the cycle `now` and takes effect in the later cycle `due`.
  void came(Cycle now, Cycle due) {
    came_due_ = came_at_ == now ? std::min(came_due_, due) : due;
    came_at_ = now;
  }
  // Returns the first cycle in which the block can send, if the block at the other end of the link can take
  // something from the cycle `free` on.
  Cycle sends_at(Cycle free) const { return std::max(free, send_from_); }

  // `arrived` is the cycle in which the oldest arrival takes effect. `free` is the first cycle in which the
  // block at the other end of the link can take something. Either may be never.
  Cycle due(Cycle now, Cycle arrived, Cycle free) const {
    const Cycle came = came_at_ == now ? came_due_ : Cycle::never();
    return std::min({came, after(now, std::max(arrived, take_from_)), after(now, sends_at(free))});
  }

 private:
  Cycle take_from_{0};
  Cycle send_from_{0};
  Cycle came_at_ = Cycle::never();
  Cycle came_due_;
};

}  // namespace heddle
