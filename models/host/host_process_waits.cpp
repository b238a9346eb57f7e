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

void HostProcess::set_wait(Wait what, std::uint32_t number) {
  state_.wait = {what, number};
  if (deps_.accountant == nullptr) return;
  const bool is_for_gpu =
      what == Wait::kStream || what == Wait::kSoftwareQueue || what == Wait::kTurn || what == Wait::kRoom;
  deps_.accountant->waits_for_gpu(spec_.number, is_for_gpu);
}

std::string HostProcess::waiting_for() const {
  const std::uint32_t number = state_.wait.number;
  switch (state_.wait.what) {
    case Wait::kNothing:
      return "nothing";
    case Wait::kItsEnd:
      return "nothing: it has ended";
    case Wait::kCpuTime:
      return "the end of a CPU phase or of a call's own work";
    case Wait::kCore:
      return "a core of the CPU";
    case Wait::kNextRequest:
      return "its next request";
    case Wait::kStream:
      return fmt::format("stream '{}'", spec_.program.streams[number]);
    case Wait::kOthers:
      return "the first launches of the other applications (start: together)";
    case Wait::kSoftwareQueue:
      return fmt::format("room in the software queue of stream {}", number);
    case Wait::kTurn:
      return fmt::format("its turn to write to queue {}", number);
    default:
      return fmt::format("room in queue {}", number);
  }
}

// The process computes on a core for this time. Other processes may have the core in between.
void HostProcess::compute(std::uint64_t ps) {
  if (ps == 0 || !spec_.cpu_phases) return;
  for (sc_core::sc_time left = time_of(ps); left != sc_core::SC_ZERO_TIME;) {
    take_core();
    set_wait(Wait::kCpuTime, 0);
    const std::uint64_t begin = sc_core::sc_time_stamp().value();
    if (!may_lose_core())
      sleep(left);
    else
      await(std::min(left, core_left()), cores_or_restart_);
    left -= sc_core::sc_time::from_value(sc_core::sc_time_stamp().value() - begin);
  }
}

void HostProcess::take_core() {
  if (!shares_cores() || keeps_core()) return;
  deps_.cores.ask(sc_core::sc_time_stamp().value(), spec_.number);
  deps_.cores_changed.notify(sc_core::sc_get_time_resolution());
  set_wait(Wait::kCore, 0);
  sleep(sc_core::sc_get_time_resolution());
  for (state_.has_core = true; !keeps_core(); state_.has_core = true) {
    const std::uint64_t next = deps_.cores.next_slice_end();
    if (next == HostCores::kNever)
      await(cores_or_restart_);
    else
      await(sc_core::sc_time::from_value(next) - sc_core::sc_time_stamp(), cores_or_restart_);
  }
}

void HostProcess::leave_core() {
  if (!keeps_core()) return;
  deps_.cores.release(sc_core::sc_time_stamp().value(), spec_.number);
  deps_.cores_changed.notify(sc_core::sc_get_time_resolution());
  state_.has_core = false;
}

// Returns whether the process still has the core that it took.
bool HostProcess::keeps_core() {
  if (!state_.has_core) return false;
  deps_.cores.settle(sc_core::sc_time_stamp().value());
  return state_.has_core = deps_.cores.is_running(spec_.number);
}

// Returns the time for which the process keeps its core at least. The core has been settled at this time, so
// that the result is above zero.
sc_core::sc_time HostProcess::core_left() const {
  if (!deps_.cores.is_wanted()) return sc_core::sc_max_time();
  return sc_core::sc_time::from_value(deps_.cores.slice_end(spec_.number)) - sc_core::sc_time_stamp();
}

// Returns whether the process had to wait for the GPU. A process that spins looks at the fence on a core
// only.
bool HostProcess::wait_for_stream(std::uint32_t stream) {
  const std::uint32_t queue = deps_.driver.queue_of(spec_.number, stream);
  if (deps_.host.wait == HostWait::kSpin) take_core();
  const std::uint64_t begin = sc_core::sc_time_stamp().value();
  for (;;) {
    if (deps_.host.wait == HostWait::kSpin) take_core();
    if (load(HostDriver::fence(spec_.number, stream)) >= issued_[stream])
      return sc_core::sc_time_stamp().value() != begin;
    check_halted(queue, load(deps_.driver.head_word(queue)));
    set_wait(Wait::kStream, stream);
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
  if (!may_lose_core()) return await(fence_or_restart_);
  if (deps_.cores.is_wanted())
    await(core_left(), fence_or_cores_);
  else
    await(fence_or_cores_);
}

}  // namespace heddle
