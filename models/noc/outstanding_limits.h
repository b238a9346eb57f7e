#pragma once
// OutstandingLimits are the most requests of a context that an L2 slice has and has not answered
// (NocSpec::outstanding_of). A packet takes a place when it begins to request its output, and the answer
// gives the place back. Without a place the packet waits at the head of its input, and packets get places in
// the order in which they began to wait. So one context cannot fill the queue of a slice, its MSHRs and the
// queue of the channel behind it. Published as limits of the portion of a shared resource in Arm's MPAM
// (maximum partitioning). Pure logic.

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/core/base/ids.h"
#include "models/stats/group.h"

namespace heddle {

class OutstandingLimits {
 public:
  // `most` is by context, 0 for a context without a limit. Contexts beyond the list have no limit.
  OutstandingLimits(const std::vector<std::uint32_t>& most, std::uint32_t outputs);

  void add_stats(Group& group);
  void reset();

  // Returns whether the packet of the input has a place at the output. If it has not, the input waits until
  // answered() returns it.
  bool takes_place(std::uint32_t input, std::uint32_t output, ContextId context, Cycle now);
  // A request of the context is answered. Returns the input whose packet has its place now, if one waited.
  std::optional<std::uint32_t> answered(std::uint32_t output, ContextId context, Cycle now);

 private:
  struct Waiting {
    std::uint32_t input = 0;
    Cycle since;
  };
  struct Place {  // of a context at an output
    std::uint32_t taken = 0;
    std::deque<Waiting> waiting;
  };
  struct Counters {
    Counter given, withheld, withheld_cycles;
  };
  bool is_limited(ContextId context) const {
    return context.value < most_.size() && most_[context.value] != 0;
  }
  Place& place(std::uint32_t output, ContextId context) {
    return places_[output * most_.size() + context.value];
  }

  const std::vector<std::uint32_t> most_;
  std::vector<Place> places_;       // by output, then by context
  std::vector<Counters> counters_;  // by context
};

}  // namespace heddle
