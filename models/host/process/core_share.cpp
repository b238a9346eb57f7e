#include "models/host/process/core_share.h"

#include <algorithm>

namespace heddle {

CoreShare::CoreShare(std::uint32_t process, bool takes_time, Deps deps)
    : process_(process),
      takes_time_(takes_time),
      deps_(deps),
      changed_(deps.thread.any_of({&deps.cores_changed})) {}

void CoreShare::compute(const sc_core::sc_time& time) {
  if (!takes_time_) return;
  for (sc_core::sc_time left_over = time; left_over != sc_core::SC_ZERO_TIME;) {
    take();
    deps_.waiting.set(ProcessWait::For::kCpuTime);
    const std::uint64_t begin = sc_core::sc_time_stamp().value();
    if (!may_be_lost())
      deps_.thread.sleep(left_over);
    else
      deps_.thread.await(std::min(left_over, left()), changed_);
    left_over -= sc_core::sc_time::from_value(sc_core::sc_time_stamp().value() - begin);
  }
}

void CoreShare::take() {
  if (!takes_time_ || !deps_.cores.are_shared() || keeps()) return;
  deps_.cores.ask(sc_core::sc_time_stamp().value(), process_);
  deps_.cores_changed.notify(sc_core::sc_get_time_resolution());
  deps_.waiting.set(ProcessWait::For::kCore);
  deps_.thread.sleep(sc_core::sc_get_time_resolution());
  for (has_core_ = true; !keeps(); has_core_ = true) {
    const std::uint64_t next = deps_.cores.next_slice_end();
    if (next == HostCores::kNever)
      deps_.thread.await(changed_);
    else
      deps_.thread.await(sc_core::sc_time::from_value(next) - sc_core::sc_time_stamp(), changed_);
  }
}

void CoreShare::leave() {
  if (!keeps()) return;
  deps_.cores.release(sc_core::sc_time_stamp().value(), process_);
  deps_.cores_changed.notify(sc_core::sc_get_time_resolution());
  has_core_ = false;
}

// Returns whether the process still has the core that it took.
bool CoreShare::keeps() {
  if (!has_core_) return false;
  deps_.cores.settle(sc_core::sc_time_stamp().value());
  return has_core_ = deps_.cores.is_running(process_);
}

// Returns the time for which the process keeps its core at least. The core has been settled at this time, so
// that the result is above zero.
sc_core::sc_time CoreShare::left() const {
  if (!deps_.cores.is_wanted()) return sc_core::sc_max_time();
  return sc_core::sc_time::from_value(deps_.cores.slice_end(process_)) - sc_core::sc_time_stamp();
}

CoreShare::Wake CoreShare::wake_of(const sc_core::sc_event& event) const {
  return {deps_.thread.any_of({&event}), deps_.thread.any_of({&event, &deps_.cores_changed})};
}

void CoreShare::await(const Wake& wake) {
  if (!may_be_lost()) return deps_.thread.await(wake.event);
  if (deps_.cores.is_wanted())
    deps_.thread.await(left(), wake.event_or_core);
  else
    deps_.thread.await(wake.event_or_core);
}

}  // namespace heddle
