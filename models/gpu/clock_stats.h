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

 private:
  Group group_;
};

}  // namespace heddle
