#pragma once
// The OutstandingLimits keep each context to a number of outstanding requests at each L2 slice
// (NocSpec::outstanding_of). A request is outstanding from the cycle in which its packet asks the crossbar
// for the slice until the answer of the slice is back at the crossbar. A context has as many places at a
// slice as it may have outstanding requests. A packet that finds no free place waits at the head of its
// input, and waiting packets get places in order of arrival. Therefore one context cannot fill the request
// queue of a slice, its MSHRs and the queue of the memory channel behind it. This is pure logic.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/base/growing_ring.h"
#include "models/core/base/ids.h"
#include "models/stats/group.h"

namespace heddle {

class OutstandingLimits {
 public:
  // An element of `most` is the limit of the context with its number. An element of 0 means that the context
  // has no limit, and so do missing elements.
  OutstandingLimits(const std::vector<std::uint32_t>& most, std::uint32_t outputs);

  void add_stats(Group& group);
  void reset();

  // The packet at the head of the input asks for a place at the output. The function returns whether it has
  // one now. If it has none, the input waits until answered() returns its number.
  bool takes_place(std::uint32_t input, std::uint32_t output, ContextId context, Cycle now);
  // The slice of the output has answered a request of the context. If a packet waits for a place, it gets the
  // place of that request, and the function returns the number of its input.
  std::optional<std::uint32_t> answered(std::uint32_t output, ContextId context, Cycle now);

 private:
  struct Waiting {
    std::uint32_t input = 0;
    Cycle since;
  };
  struct Places {  // of one context at one output
    std::uint32_t taken = 0;
    GrowingRing<Waiting> waiting;
  };
  struct Counters {
    Counter given, withheld, withheld_cycles;
  };
  bool is_limited(ContextId context) const {
    return context.value < most_.size() && most_[context.value] != 0;
  }
  Places& places_of(std::uint32_t output, ContextId context) {
    return places_[output * most_.size() + context.value];
  }

  const std::vector<std::uint32_t> most_;
  std::vector<Places> places_;      // by output, then by context
  std::vector<Counters> counters_;  // by context
};

}  // namespace heddle
