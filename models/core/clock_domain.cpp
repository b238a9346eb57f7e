#include "models/core/clock_domain.h"

#include <algorithm>
#include <cmath>

namespace heddle {

ClockDomain::ClockDomain(sc_core::sc_module_name name, double frequency_hz)
    : sc_core::sc_module(name), stats_(basename()) {
  const double resolution = sc_core::sc_get_time_resolution().to_seconds();
  period_ =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(1.0 / frequency_hz / resolution)));
  SC_HAS_PROCESS(ClockDomain);
  SC_METHOD(run);
  sensitive << due_;
  dont_initialize();
  stats_.add(wakes_, "wakes", "call", "calls of the domain's method by the SystemC kernel");
  stats_.add(ticks_, "ticks", "call", "calls of a block's tick");
}

ClockDomain::Sleeper ClockDomain::add(Clocked& block) {
  blocks_.push_back(&block);
  return wheel_.add();
}

double ClockDomain::frequency_hz() const {
  return 1.0 / sc_core::sc_time::from_value(period_).to_seconds();
}

void ClockDomain::run() {
  const Cycle now = last_edge(sc_core::sc_time_stamp().value());
  notified_ = Cycle::never();
  ++wakes_;
  ticking_ = true;
  wheel_.expire(now, [this, now](Sleeper sleeper) {
    ++ticks_;
    blocks_[sleeper]->tick(now);
  });
  ticking_ = false;
  const Cycle next = wheel_.next();
  if (next != Cycle::never()) notify(next);
}

void ClockDomain::notify(Cycle cycle) {
  notified_ = cycle;
  due_.notify(time_of(cycle) - sc_core::sc_time_stamp());
}

}  // namespace heddle
