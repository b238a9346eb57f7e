#pragma once
// The WakeRule of a port says when its owner is to be ticked next. All ports have the same rule: due(now) is
// the next cycle after `now` in which the port has something new for its owner, because an arrival can be
// taken or something can be sent. A tick of the owner ends with a wake for the least of its ports and of its
// own work. What was there at `now` already is the owner's business, because the owner has seen it.
//
// The tick of an owner uses up the wakes that were asked for earlier in the same cycle. So due(now) repeats
// what came in the cycle `now`, whether it came before or after the owner's tick, and whatever the owner
// takes. The owner is then ticked in the same cycles whatever the order of calls within a cycle.

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

  // The owner takes nothing that has arrived before this cycle, and sends nothing before that one. At first
  // both are cycle 0. Never: it takes, or sends, nothing until it says otherwise.
  void take_from(Cycle cycle) { take_from_ = cycle; }
  void send_from(Cycle cycle) { send_from_ = cycle; }
  bool sends() const { return send_from_ != Cycle::never(); }

  // Something came in the cycle `now` that takes effect in the cycle `due`, a later one.
  void came(Cycle now, Cycle due) {
    came_due_ = came_at_ == now ? std::min(came_due_, due) : due;
    came_at_ = now;
  }
  // Returns the cycle from which the owner sends if the other side takes from the cycle `free` on.
  Cycle sends_at(Cycle free) const { return std::max(free, send_from_); }

  // `arrived` is the cycle in which the oldest arrival takes effect, `free` the cycle from which the other
  // side takes what the owner sends; either may be never.
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
