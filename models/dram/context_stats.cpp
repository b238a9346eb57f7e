#include "models/dram/context_stats.h"

#include <string>

namespace heddle {

ContextStats::ContextStats(Group& controller) {
  Group& contexts = controller.child("contexts");
  for (std::uint32_t i = 0; i <= kContexts; ++i) {
    Group& group = contexts.child(i == kContexts ? "others" : "context" + std::to_string(i));
    Counters& counters = contexts_[i];
    group.add(counters.bursts, "bursts", "request", "bursts read and written");
    group.add(counters.wait, "wait", "CK", "from acceptance to the column command, summed");
    group.add(counters.preferred, "preferred", "request",
              "requests served while an older one of another context waited");
    group.add(counters.deferred, "deferred", "request",
              "requests of other contexts served while its own request was the oldest");
    group.add_formula("mean_wait", "CK", "from acceptance to the column command", {counters.wait},
                      {counters.bursts});
  }
}

void ContextStats::served(const WaitingRequest& request, const WaitingRequest& oldest, Cycle now) {
  Counters& context = of(request.context);
  ++context.bursts;
  context.wait += now - request.accepted;
  if (oldest.arrival == request.arrival || oldest.context == request.context) return;
  ++context.preferred;
  ++of(oldest.context).deferred;
}

}  // namespace heddle
