#pragma once
// The ContextStats of a controller whose scheduler ranks requests: what each context was given, and what was
// withheld from it. The first kContexts contexts have a group each. The group "others" has later contexts and
// requests of which nobody knows the context.

#include <array>

#include "models/dram/request_queue.h"
#include "models/stats/group.h"

namespace heddle {

class ContextStats {
 public:
  static constexpr std::uint32_t kContexts = 8;

  explicit ContextStats(Group& controller);  // adds the groups to that of the controller

  // The column command of the request is issued at `now`. `oldest` is the oldest request of its direction.
  void served(const WaitingRequest& request, const WaitingRequest& oldest, Cycle now);

 private:
  struct Counters {
    Counter bursts, wait, preferred, deferred;
  };
  Counters& of(ContextId context) { return contexts_[context.value < kContexts ? context.value : kContexts]; }

  std::array<Counters, kContexts + 1> contexts_;
};

}  // namespace heddle
