#pragma once
// A HostThread has the waits of an SC_THREAD of the host. After a reset of the machine the thread starts
// again, wherever it waits.

#include <functional>
#include <initializer_list>
#include <systemc>

namespace heddle {

class HostThread {
 public:
  using Events = sc_core::sc_event_or_list;

  // This is the body of the SC_THREAD. It calls `execute` at once and after each restart.
  void run(const std::function<void()>& execute);
  // The thread starts again when the simulation goes on. The call is made while no process runs.
  void restart();

  // Returns a list that a thread can wait for: these events, and the one of a restart.
  Events any_of(std::initializer_list<const sc_core::sc_event*> events) const;

  // `execute` waits with these alone. They leave it when the thread starts again.
  void sleep(const sc_core::sc_time& time);
  void await(const Events& events);
  void await(const sc_core::sc_time& time, const Events& events);  // or for this time

 private:
  struct Restart {};  // thrown out of `execute`

  void leave_if_restarted() const;

  sc_core::sc_event restart_;
  bool restarting_ = false;  // since restart(), until the thread has left `execute`
};

}  // namespace heddle
