#include "models/host/host_thread.h"

namespace heddle {

void HostThread::run(const std::function<void()>& execute) {
  for (;;) {
    restarting_ = false;
    restart_.cancel();
    try {
      execute();
    } catch (const Restart&) {
      continue;
    }
    while (!restarting_) sc_core::wait(restart_);
  }
}

void HostThread::restart() {
  restarting_ = true;
  restart_.notify(sc_core::SC_ZERO_TIME);
}

HostThread::Events HostThread::any_of(std::initializer_list<const sc_core::sc_event*> events) const {
  Events all;
  for (const sc_core::sc_event* event : events) all |= *event;
  all |= restart_;
  return all;
}

void HostThread::sleep(const sc_core::sc_time& time) {
  sc_core::wait(time, restart_);
  leave_if_restarted();
}

void HostThread::await(const Events& events) {
  sc_core::wait(events);
  leave_if_restarted();
}

void HostThread::await(const sc_core::sc_time& time, const Events& events) {
  sc_core::wait(time, events);
  leave_if_restarted();
}

void HostThread::leave_if_restarted() const {
  if (restarting_) throw Restart{};
}

}  // namespace heddle
