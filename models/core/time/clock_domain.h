#pragma once
// A ClockDomain is one clock of the GPU: an integer cycle, an SC_METHOD and a timing wheel. A block sleeps
// until a cycle that it asked for. A domain with nothing due costs the SystemC kernel nothing. Several clocks
// may share one method: their edges at the same time then cost one call by the kernel, whatever their
// frequencies.

#include <systemc>

#include "models/core/base/counter.h"
#include "models/core/base/ids.h"
#include "models/core/time/timing_wheel.h"

namespace heddle {

// A ClockDomain ticks every block that is Clocked. Within a cycle blocks may be ticked in any order: what one
// block sends another takes effect at least one cycle later.
class Clocked {
 public:
  virtual ~Clocked() = default;
  virtual void tick(Cycle now) = 0;
};

class ClockDomain : public sc_core::sc_module {
 public:
  using Sleeper = TimingWheel::Sleeper;

  // The period is rounded to the time resolution; frequency_hz() gives the frequency after rounding.
  ClockDomain(sc_core::sc_module_name name, double frequency_hz);
  // The clock shares the method of `first`, which has a method of its own.
  ClockDomain(sc_core::sc_module_name name, double frequency_hz, ClockDomain& first);

  Sleeper add(Clocked& block);  // before the start of simulation

  // Drops every wake of this clock and of all clocks that share its method, and makes the present time their
  // cycle 0. The call is made while no process runs: before or between calls of sc_start().
  void reset();

  // Asks for a tick at `cycle`, which is later than the present one. The earliest cycle that was asked for
  // counts.
  void wake_at(Sleeper sleeper, Cycle cycle) {
    wheel_.wake_at(sleeper, cycle);
    if (cycle < due_) hasten(cycle);
  }

  // Returns the cycle of the last edge at or before the present time, which is that of a tick in progress.
  Cycle now() const { return last_edge(time_.value()); }
  // Returns the first edge at or after `time`.
  Cycle edge_at(const sc_core::sc_time& time) const {
    const Cycle last = last_edge(time.value());
    return edge_time_ == time.value() ? last : last + 1;
  }
  // Returns the time of a cycle since the start of simulation.
  sc_core::sc_time time_of(Cycle cycle) const { return sc_core::sc_time::from_value(time_value(cycle)); }
  double frequency_hz() const;

  // The host pays for these. The clock that owns the method counts `calls` for all clocks that share it.
  struct Activity {
    Counter calls;  // of the SC_METHOD, by the SystemC kernel
    Counter wakes;  // cycles in which a block was due
    Counter ticks;  // calls of Clocked::tick()
  };
  Activity& activity() { return activity_; }
  bool owns_method() const { return &first_ == this; }

 private:
  ClockDomain(const sc_core::sc_module_name& name, double frequency_hz, ClockDomain* first);

  void restart();
  std::uint64_t time_value(Cycle cycle) const { return origin_ + cycle.value * period_; }
  void run();   // ticks every clock that shares the method and has something due now
  void edge();  // ticks the blocks of this clock
  void hasten(Cycle cycle);
  void notify(std::uint64_t time);
  // Returns the last edge at or before `time`. It divides only when the time has moved on to another cycle.
  Cycle last_edge(std::uint64_t time) const {
    if (time - edge_time_ >= period_) {
      edge_ = Cycle{(time - origin_) / period_};
      edge_time_ = time_value(edge_);
    }
    return edge_;
  }

  TimingWheel wheel_;
  std::vector<Clocked*> blocks_;
  std::uint64_t period_;          // the period and all times are in units of the time resolution
  const sc_core::sc_time& time_;  // the kernel's present time
  std::uint64_t origin_ = 0;      // the time of cycle 0: the start of simulation or the last reset
  mutable Cycle edge_{0};         // the edge that was asked for last, and its time
  mutable std::uint64_t edge_time_ = 0;
  Cycle due_ = Cycle::never();  // the edge at which a block is due; the present one during its ticks
  std::uint64_t due_time_ = kNever;

  // These are in use in the clock that owns the method.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  ClockDomain& first_;
  std::vector<ClockDomain*> sharing_;
  sc_core::sc_event call_;
  std::uint64_t notified_ = kNever;  // when the kernel will call run()
  bool running_ = false;

  Activity activity_;
};

}  // namespace heddle
