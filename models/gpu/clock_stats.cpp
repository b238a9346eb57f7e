#include "models/gpu/clock_stats.h"

namespace heddle {

ClockStats::ClockStats(ClockDomain& clock) : clock_(clock), group_(clock.basename()) {
  ClockDomain::Activity& activity = clock.activity();
  if (clock.owns_method())
    group_.add(activity.calls, "calls", "call",
               "times at which a block is due, for all clocks that share the SystemC method");
  group_.add(cycles_, "cycles", "cycle", "cycles of the clock since its reset");
  group_.add(activity.wakes, "wakes", "cycle", "cycles in which a block was due");
  group_.add(activity.ticks, "ticks", "call", "calls of a block's tick");
}

void ClockStats::update() {
  cycles_.set(clock_.now().value);
}

}  // namespace heddle
