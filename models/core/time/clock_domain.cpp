#include "models/core/time/clock_domain.h"

#include <algorithm>
#include <cmath>

namespace heddle {

ClockDomain::ClockDomain(sc_core::sc_module_name name, double frequency_hz)
    : ClockDomain(name, frequency_hz, nullptr) {}

ClockDomain::ClockDomain(sc_core::sc_module_name name, double frequency_hz, ClockDomain& first)
    : ClockDomain(name, frequency_hz, &first) {}

ClockDomain::ClockDomain(const sc_core::sc_module_name& name, double frequency_hz, ClockDomain* first)
    : sc_core::sc_module(name),
      time_(sc_core::sc_get_curr_simcontext()->time_stamp()),
      first_(first != nullptr ? *first : *this) {
  const double resolution = sc_core::sc_get_time_resolution().to_seconds();
  period_ =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(1.0 / frequency_hz / resolution)));
  first_.sharing_.push_back(this);
  if (first == nullptr) {
    SC_HAS_PROCESS(ClockDomain);
    SC_METHOD(run);
    sensitive << call_;
    dont_initialize();
  }
}

ClockDomain::Sleeper ClockDomain::add(Clocked& block) {
  blocks_.push_back(&block);
  return wheel_.add();
}

void ClockDomain::reset() {
  for (ClockDomain* clock : first_.sharing_) clock->restart();
  first_.call_.cancel();
  first_.notified_ = kNever;
}

void ClockDomain::restart() {
  wheel_.reset();
  origin_ = time_.value();
  edge_ = Cycle{0};
  edge_time_ = origin_;
  due_ = Cycle::never();
  due_time_ = kNever;
  activity_ = {};
}

double ClockDomain::frequency_hz() const {
  return 1.0 / sc_core::sc_time::from_value(period_).to_seconds();
}

void ClockDomain::run() {
  const std::uint64_t now = time_.value();
  if (now != notified_) return;  // A reset came between the kernel's decision to call and this call.
  notified_ = kNever;
  ++activity_.calls;
  running_ = true;
  for (ClockDomain* clock : sharing_)
    if (clock->due_time_ == now) clock->edge();
  running_ = false;
  std::uint64_t next = kNever;
  for (const ClockDomain* clock : sharing_) next = std::min(next, clock->due_time_);
  if (next != kNever) notify(next);
}

void ClockDomain::edge() {
  ++activity_.wakes;
  edge_ = due_;
  edge_time_ = due_time_;
  wheel_.expire(due_, [this](Sleeper sleeper) {
    ++activity_.ticks;
    blocks_[sleeper]->tick(due_);
  });
  due_ = wheel_.next();
  due_time_ = due_ == Cycle::never() ? kNever : time_value(due_);
}

void ClockDomain::hasten(Cycle cycle) {
  due_ = cycle;
  due_time_ = time_value(cycle);
  if (!first_.running_ && due_time_ < first_.notified_) first_.notify(due_time_);
}

void ClockDomain::notify(std::uint64_t time) {
  notified_ = time;
  call_.notify(sc_core::sc_time::from_value(time) - time_);
}

}  // namespace heddle
