#pragma once
// A CoreShare is the share that one host process has of the CPU's cores. The thread of the process computes
// on a core, takes one and leaves it; the operating system may take the core away at the end of a time slice.

#include "models/host/host_thread.h"
#include "models/host/process/host_cores.h"
#include "models/host/process/process_wait.h"

namespace heddle {

class CoreShare {
 public:
  struct Deps {
    HostCores& cores;
    sc_core::sc_event& cores_changed;  // shared by the processes of a machine: one takes or wants a core
    HostThread& thread;
    ProcessWait& waiting;
  };
  // `takes_time` is false for a process that computes in no time, which needs no core.
  CoreShare(std::uint32_t process, bool takes_time, Deps deps);

  // The process computes on a core for this time. Other processes may have the core in between.
  void compute(const sc_core::sc_time& time);
  void take();  // waits for a core, if the process has none
  void leave();

  // An event as the process waits for it on its core.
  struct Wake {
    HostThread::Events event;
    HostThread::Events event_or_core;  // or a change of the cores
  };
  Wake wake_of(const sc_core::sc_event& event) const;
  // Waits for the event. It may return earlier, and the core may then be lost.
  void await(const Wake& wake);

  void reset() { has_core_ = false; }

 private:
  bool keeps();
  bool may_be_lost() const { return has_core_ && deps_.cores.have_slices(); }
  sc_core::sc_time left() const;

  const std::uint32_t process_;
  const bool takes_time_;
  const Deps deps_;
  const HostThread::Events changed_;
  bool has_core_ = false;  // it took a core and has not left it
};

}  // namespace heddle
