#include "models/noc/context_flits.h"

#include <string>

namespace heddle {

ContextFlits::ContextFlits(Group& direction) {
  Group& contexts = direction.child("contexts");
  for (std::uint32_t i = 0; i <= kContexts; ++i) {
    Group& group = contexts.child(i == kContexts ? "others" : "context" + std::to_string(i));
    Counters& counters = contexts_[i];
    group.add(counters.packets, "packets", "packet", "packets that were granted their output");
    group.add(counters.flits, "flits", "flit", "flits of these packets");
    group.add(counters.wait, "wait", "cycle", "from the request of an output to the grant, summed");
    group.add(counters.preferred, "preferred", "packet",
              "packets granted while one of another context had requested the output longer");
    group.add(counters.deferred, "deferred", "packet",
              "packets of other contexts granted while its own packet had requested the output longest");
    group.add_formula("mean_wait", "cycle", "from the request of an output to the grant", {counters.wait},
                      {counters.packets});
  }
}

void ContextFlits::granted(const RequestingPacket& packet, const RequestingPacket& oldest, Cycle now) {
  Counters& context = of(packet.context);
  ++context.packets;
  context.flits += packet.flits;
  context.wait += now - packet.since;
  if (oldest.since == packet.since || oldest.context == packet.context) return;
  ++context.preferred;
  ++of(oldest.context).deferred;
}

}  // namespace heddle
