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
    context.add(counters_[i].withheld, "withheld", "packet", "of these, those that waited for a place");
    context.add(counters_[i].withheld_cycles, "withheld_cycles", "cycle",
                "sum over these packets of the time until they had a place");
  }
}

void OutstandingLimits::reset() {
  for (Place& place : places_) place = {};
}

bool OutstandingLimits::takes_place(std::uint32_t input, std::uint32_t output, ContextId context, Cycle now) {
  if (!is_limited(context)) return true;
  Place& at = place(output, context);
  ++counters_[context.value].given;
  if (at.taken < most_[context.value]) {
    ++at.taken;
    return true;
  }
  ++counters_[context.value].withheld;
  at.waiting.push_back({input, now});
  return false;
}

std::optional<std::uint32_t> OutstandingLimits::answered(std::uint32_t output, ContextId context, Cycle now) {
  if (!is_limited(context)) return std::nullopt;
  Place& at = place(output, context);
  HEDDLE_CHECK(at.taken > 0, "crossbar", now, "an answer of slice {} to context {}, which asked nothing",
               output, context.value);
  if (at.waiting.empty()) {
    --at.taken;
    return std::nullopt;
  }
  const Waiting next = at.waiting.front();
  at.waiting.pop_front();
  counters_[context.value].withheld_cycles += now - next.since;
  return next.input;
}

}  // namespace heddle
