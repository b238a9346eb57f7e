#include "models/stats/context_turns.h"

#include <string>

namespace heddle {

ContextTurns::ContextTurns(Group& block, const Words& words) {
  Group& contexts = block.child("contexts");
  for (std::uint32_t i = 0; i <= kContexts; ++i) {
    Group& group = contexts.child(i == kContexts ? "others" : "context" + std::to_string(i));
    Counters& counters = contexts_[i];
    group.add(counters.served, words.served.name, words.served.unit, words.served.description);
    if (words.size.name != nullptr)
      group.add(counters.size, words.size.name, words.size.unit, words.size.description);
    group.add(counters.wait, "wait", words.clock, std::string(words.wait) + ", summed");
    group.add(counters.preferred, "preferred", words.served.unit, words.preferred);
    group.add(counters.deferred, "deferred", words.served.unit, words.deferred);
    group.add_formula("mean_wait", words.clock, words.wait, {counters.wait}, {counters.served});
  }
}

void ContextTurns::served(ContextId context, ContextId oldest, std::uint64_t wait, std::uint64_t size) {
  Counters& counters = of(context);
  ++counters.served;
  counters.size += size;
  counters.wait += wait;
  if (oldest == context) return;
  ++counters.preferred;
  ++of(oldest).deferred;
}

}  // namespace heddle
