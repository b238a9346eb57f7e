#pragma once
// HandoverStats has the latencies of preemption, by the way in which the blocks left: for each slice that was
// handed over, the core cycles from the decision until the slice held nothing of the SM any more.

#include <array>

#include "models/core/kernel/observer.h"
#include "models/stats/group.h"
#include "models/stats/histogram.h"
#include "policies/preemption/i_preemption.h"

namespace heddle {

class HandoverStats {
 public:
  // Declares the ways that the policy may lead to.
  HandoverStats(const Preemption& policy, Group& stats);

  void record(HandoverWay way, std::uint64_t cycles);
  const Histogram& latencies(HandoverWay way) const { return ways_[static_cast<std::size_t>(way)].latencies; }
  bool may_lead_to(HandoverWay way) const { return ways_[static_cast<std::size_t>(way)].is_declared; }
  void update();  // brings the quantiles up to the present; the other counters are always
  void reset();   // The counters are their group's to reset.

 private:
  struct Way {
    bool is_declared = false;
    Histogram latencies;
    Counter slices, cycles, longest, p50, p90, p99;
  };

  std::array<Way, kHandoverWays> ways_;
};

}  // namespace heddle
