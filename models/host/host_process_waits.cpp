// The waits of a host process: for time on a core of the CPU, and for the GPU.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/host/host_process.h"

namespace heddle {

// An execution waits in sleep() and await() only, so that a reset can end it at every wait.
void HostProcess::sleep(const sc_core::sc_time& time) {
  wait(time, restart_);
  if (restarting_) throw Restart{};
}

void HostProcess::await(const sc_core::sc_event_or_list& events) {
  wait(events);
  if (restarting_) throw Restart{};
}

void HostProcess::await(const sc_core::sc_time& time, const sc_core::sc_event_or_list& events) {
  wait(time, events);
  if (restarting_) throw Restart{};
}

// The process computes on a core for this time. Other processes may have the core in between.
void HostProcess::compute(std::uint64_t ps) {
  if (ps == 0 || !spec_.cpu_phases) return;
  for (sc_core::sc_time left = time_of(ps); left != sc_core::SC_ZERO_TIME; end_slice()) {
    take_core();
    state_.waiting_for = kCpuTime;
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    if (!has_slices())
      sleep(left);
    else if (deps_.cores.is_wanted())
      sleep(std::min(left, slice_left()));
    else
      await(left, cores_or_restart_);
    left -= sc_core::sc_time_stamp() - begin;
  }
}

void HostProcess::take_core() {
  if (state_.has_core || !shares_cores()) return;
  const std::uint64_t asked = sc_core::sc_time_stamp().value();
  deps_.cores.ask(asked, spec_.number);
  deps_.cores_changed.notify(sc_core::SC_ZERO_TIME);
  state_.waiting_for = "a core of the CPU";
  sleep(sc_core::sc_get_time_resolution());  // every process that asks at this time is known then
  while (!deps_.cores.grant(asked, spec_.number)) await(cores_or_restart_);
  deps_.cores_changed.notify(sc_core::SC_ZERO_TIME);  // another core may be free for the next process
  state_.has_core = true;
  state_.slice_end = sc_core::sc_time_stamp() + time_of(deps_.host.time_slice_ps);
}

void HostProcess::leave_core() {
  if (!std::exchange(state_.has_core, false)) return;
  deps_.cores.release();
  deps_.cores_changed.notify(sc_core::SC_ZERO_TIME);
}

// Leaves the core if the time slice has ended and another process waits. A process that asks at this very
// time does not count yet, so that the order of events at one time has no effect.
void HostProcess::end_slice() {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  if (has_slices() && now >= state_.slice_end && deps_.cores.is_wanted(now.value())) leave_core();
}

// Returns the time to the end of the slice. It is above zero also if the slice has ended.
sc_core::sc_time HostProcess::slice_left() const {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  return now < state_.slice_end ? state_.slice_end - now : sc_core::sc_get_time_resolution();
}

// Returns whether the process had to wait. A process that spins looks at the fence on a core only.
bool HostProcess::wait_for_stream(std::uint32_t stream) {
  const std::uint32_t queue = deps_.driver.queue_of(spec_.number, stream);
  for (bool waited = false;; waited = true) {
    if (deps_.host.wait == HostWait::kSpin) take_core();
    if (load(HostDriver::fence(spec_.number, stream)) >= issued_[stream]) return waited;
    check_halted(queue, load(deps_.driver.head_word(queue)));
    state_.waiting_for = fmt::format("stream '{}'", spec_.program.streams[stream]);
    await_fence();
  }
}

bool HostProcess::wait_for_all_streams() {
  bool waited = false;
  for (std::uint32_t stream = 0; stream < issued_.size(); ++stream) waited |= wait_for_stream(stream);
  return waited;
}

// Waits until the GPU has written a fence. It may return earlier.
void HostProcess::await_fence() {
  if (deps_.host.wait == HostWait::kBlock) leave_core();
  if (!has_slices()) return await(fence_or_restart_);
  if (deps_.cores.is_wanted())
    await(slice_left(), fence_or_restart_);
  else
    await(fence_or_cores_);
  end_slice();
}

}  // namespace heddle
