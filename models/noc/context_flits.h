#pragma once
// The ContextFlits of a direction of the crossbar whose arbiters use contexts: what each context was given,
// and what was withheld from it. The first kContexts contexts have a group each. The group "others" has later
// contexts and packets of which nobody knows the context.

#include <array>

#include "models/stats/group.h"
#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

namespace heddle {

class ContextFlits {
 public:
  static constexpr std::uint32_t kContexts = 8;

  explicit ContextFlits(Group& direction);  // adds the groups to that of the direction

  // The packet is granted its output at `now`. `oldest` is the packet that has requested this output longest,
  // the granted one if no other has requested it longer.
  void granted(const RequestingPacket& packet, const RequestingPacket& oldest, Cycle now);

 private:
  struct Counters {
    Counter packets, flits, wait, preferred, deferred;
  };
  Counters& of(ContextId context) { return contexts_[context.value < kContexts ? context.value : kContexts]; }

  std::array<Counters, kContexts + 1> contexts_;
};

}  // namespace heddle
