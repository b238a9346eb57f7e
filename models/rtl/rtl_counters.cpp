#include "models/rtl/rtl_counters.h"

#include <fmt/format.h>

namespace heddle {

std::string RtlCounters::connect(RtlInstance& instance) {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const RtlCounter& spec = specs_[i];
    RtlSignal* signal = instance.find(spec.signal);
    if (signal == nullptr)
      return fmt::format("counter {}: the block has no signal '{}'", spec.name, spec.signal);
    const std::uint32_t high = spec.high.value_or(signal->bits() - 1);
    if (high >= signal->bits() || high < spec.low || high - spec.low >= 64)
      return fmt::format("counter {}: bits {}:{} of a signal of {} bits; at most 64 bits count", spec.name,
                         high, spec.low, signal->bits());
    Connected& counter = counters_[i];
    counter = {&spec, signal, high - spec.low + 1, 0, {}};
    if (spec.pulse) continue;
    counter.last = counter.value();
    counter.count.set(counter.last);
  }
  return {};
}

void RtlCounters::add_stats(Group& group) {
  for (Connected& counter : counters_)
    group.add(counter.count, counter.spec->name, counter.spec->pulse ? "tick" : "1",
              fmt::format("{} of the RTL", counter.spec->signal));
}

}  // namespace heddle
