#pragma once
// ClockStats registers the counters of one clock domain in a group with the clock's name. The clock outlives
// the group.

#include "models/core/time/clock_domain.h"
#include "models/stats/group.h"

namespace heddle {

class ClockStats {
 public:
  explicit ClockStats(ClockDomain& clock);

  Group& group() { return group_; }
  void update();  // brings the cycles up to the present
  const Counter& cycles() const { return cycles_; }

 private:
  ClockDomain& clock_;
  Counter cycles_;
  Group group_;
};

}  // namespace heddle
