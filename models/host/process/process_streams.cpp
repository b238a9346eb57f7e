#include "models/host/process/process_streams.h"

#include <algorithm>

#include "models/host/submission/submitter.h"

namespace heddle {

ProcessStreams::ProcessStreams(std::uint32_t process, std::size_t streams, Deps deps)
    : process_(process),
      deps_(deps),
      rings_(deps.driver, deps.bus),
      ring_released_(deps.thread.any_of({&deps.ring_released})),
      room_(deps.thread.any_of({&fenced_})),
      fence_(deps.core.wake_of(fenced_)),
      issued_(streams) {}

void ProcessStreams::reset() {
  fenced_.cancel();
  std::fill(issued_.begin(), issued_.end(), 0);
}

void ProcessStreams::open() {
  deps_.system_memory.watch(HostDriver::arena(process_), 8 * issued_.size(), fenced_);
  for (std::uint32_t stream = 0; stream < issued_.size(); ++stream)
    deps_.system_memory.watch(deps_.driver.head_word(deps_.driver.queue_of(process_, stream)), 8, fenced_);
}

void ProcessStreams::submit(Command command, bool may_be_cut) {
  command.context = ContextId{process_};
  command.fence_address = HostDriver::fence(process_, command.stream.value);
  if (deps_.submitter != nullptr) {
    command.fence_value = ++issued_[command.stream.value];
    submit_to_submitter(command, may_be_cut);
  } else {
    write_to_ring(command);
  }
}

void ProcessStreams::submit_to_submitter(const Command& command, bool may_be_cut) {
  deps_.waiting.set(ProcessWait::For::kSoftwareQueue, command.stream.value);
  while (!deps_.submitter->push(command, may_be_cut)) deps_.thread.await(ring_released_);
}

// Every process that asks for the ring at this time is known before one is chosen.
void ProcessStreams::write_to_ring(Command& command) {
  const std::uint32_t stream = command.stream.value;
  const std::uint32_t queue = deps_.driver.queue_of(process_, stream);
  const std::uint64_t asked = sc_core::sc_time_stamp().value();
  deps_.driver.ask(queue, asked, process_);
  deps_.thread.sleep(sc_core::sc_get_time_resolution());
  deps_.waiting.set(ProcessWait::For::kTurn, queue);
  while (!deps_.driver.grant(queue, asked, process_)) deps_.thread.await(ring_released_);
  rings_.program(queue);
  deps_.waiting.set(ProcessWait::For::kRoom, queue);
  while (!rings_.has_room(queue)) deps_.thread.await(room_);
  command.fence_value = ++issued_[stream];
  rings_.write(queue, command);
  deps_.driver.release(queue);
  deps_.ring_released.notify(sc_core::SC_ZERO_TIME);
}

// A process that spins reads the fence on a core only.
bool ProcessStreams::wait_for(std::uint32_t stream) {
  const std::uint32_t queue = deps_.driver.queue_of(process_, stream);
  const bool spins = deps_.host_wait == HostWait::kSpin;
  if (spins) deps_.core.take();
  const std::uint64_t begin = sc_core::sc_time_stamp().value();
  for (;;) {
    if (spins) deps_.core.take();
    if (deps_.bus.load(HostDriver::fence(process_, stream)) >= issued_[stream])
      return sc_core::sc_time_stamp().value() != begin;
    static_cast<void>(rings_.head(queue));  // throws for a halted queue
    deps_.waiting.set(ProcessWait::For::kStream, stream);
    await_fence();
  }
}

bool ProcessStreams::wait_for_all() {
  bool waited = false;
  for (std::uint32_t stream = 0; stream < issued_.size(); ++stream) waited |= wait_for(stream);
  return waited;
}

// Waits until the GPU has written a fence. It may return earlier.
void ProcessStreams::await_fence() {
  if (deps_.host_wait == HostWait::kBlock) deps_.core.leave();
  deps_.core.await(fence_);
}

}  // namespace heddle
