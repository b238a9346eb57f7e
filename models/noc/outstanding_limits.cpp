#include "models/noc/outstanding_limits.h"

#include <fmt/format.h>

#include "models/core/base/check.h"

namespace heddle {

OutstandingLimits::OutstandingLimits(const std::vector<std::uint32_t>& most, std::uint32_t outputs)
    : most_(most), places_(outputs * most.size()), counters_(most.size()) {}

void OutstandingLimits::add_stats(Group& group) {
  Group& contexts = group.child("outstanding");
  for (std::size_t i = 0; i < most_.size(); ++i) {
    if (most_[i] == 0) continue;
    Group& context = contexts.child(fmt::format("context{}", i));
    context.add(counters_[i].given, "given", "packet", "packets that took one of its places at a slice");
    context.add(counters_[i].withheld, "withheld", "packet",
                "packets that found no free place at a slice and waited for one");
    context.add(counters_[i].withheld_cycles, "withheld_cycles", "cycle",
                "sum over packets that waited for a place of the time until they had it");
  }
}

void OutstandingLimits::reset() {
  for (Places& places : places_) {
    places.taken = 0;
    places.waiting.clear();
  }
}

bool OutstandingLimits::takes_place(std::uint32_t input, std::uint32_t output, ContextId context, Cycle now) {
  if (!is_limited(context)) return true;
  Places& places = places_of(output, context);
  Counters& counters = counters_[context.value];
  if (places.taken == most_[context.value]) {
    ++counters.withheld;
    places.waiting.push({input, now});
    return false;
  }
  ++counters.given;
  ++places.taken;
  return true;
}

std::optional<std::uint32_t> OutstandingLimits::answered(std::uint32_t output, ContextId context, Cycle now) {
  if (!is_limited(context)) return std::nullopt;
  Places& places = places_of(output, context);
  HEDDLE_CHECK(places.taken > 0, "crossbar", now, "an answer of slice {} to context {}, which asked nothing",
               output, context.value);
  if (places.waiting.empty()) {
    --places.taken;
    return std::nullopt;
  }
  const Waiting next = places.waiting.front();
  places.waiting.pop();
  Counters& counters = counters_[context.value];
  ++counters.given;
  counters.withheld_cycles += now - next.since;
  return next.input;
}

}  // namespace heddle
