// This file implements streams, events and synchronisation. Every call is complete when it returns, so a
// query never finds pending work. The calls are recorded with the waits that they express.

#include "stimuli/capture/cudart/runtime.h"

namespace heddle::capture {

namespace {

using Kind = CapturedCall::Kind;

int create_stream(const char* name, void** handle, unsigned flags) {
  return guarded(name, [&](Runtime& runtime) -> int {
    constexpr unsigned kNonBlocking = 1;
    if (flags > kNonBlocking) return kInvalidValue;
    auto stream = std::make_unique<Stream>();
    stream->number = runtime.session().create_stream(flags == kNonBlocking);
    stream->flags = flags;
    *handle = stream.get();
    runtime.streams.emplace(*handle, std::move(stream));
    return kSuccess;
  });
}

int create_event(const char* name, void** handle, unsigned flags) {
  return guarded(name, [&](Runtime& runtime) -> int {
    constexpr unsigned kDisableTiming = 2;
    constexpr unsigned kInterprocess = 4;
    if ((flags & kInterprocess) != 0) stop("events for other processes are not supported");
    runtime.session();
    auto event = std::make_unique<Event>();
    event->number = runtime.next_event++;
    event->timed = (flags & kDisableTiming) == 0;
    *handle = event.get();
    runtime.events.emplace(*handle, std::move(event));
    return kSuccess;
  });
}

int synchronise(const char* name) {
  return guarded(name, [](Runtime& runtime) -> int {
    runtime.session().note(Kind::kSynchronise, 0);
    runtime.managed.synchronise(runtime.session());
    return kSuccess;
  });
}

// Returns success if the stream exists, or else an error.
int check_stream(const char* name, const void* handle) {
  return guarded(name, [&](Runtime& runtime) -> int {
    return runtime.stream(handle) ? kSuccess : kInvalidResourceHandle;
  });
}

Event* find_event(Runtime& runtime, const void* handle) {
  const auto found = runtime.events.find(handle);
  return found == runtime.events.end() ? nullptr : found->second.get();
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage
using Kind = CapturedCall::Kind;

extern "C" {

int cudaStreamCreate(void** stream) {
  return create_stream("cudaStreamCreate", stream, 0);
}

int cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  return create_stream("cudaStreamCreateWithFlags", stream, flags);
}

// All streams have one priority: see cudaDeviceGetStreamPriorityRange.
int cudaStreamCreateWithPriority(void** stream, unsigned flags, int /*priority*/) {
  return create_stream("cudaStreamCreateWithPriority", stream, flags);
}

int cudaStreamGetPriority(const void* stream, int* priority) {
  *priority = 0;
  return check_stream("cudaStreamGetPriority", stream);
}

int cudaStreamGetFlags(const void* handle, unsigned* flags) {
  return guarded("cudaStreamGetFlags", [&](Runtime& runtime) -> int {
    const auto found = runtime.streams.find(handle);
    if (found == runtime.streams.end()) return kInvalidResourceHandle;
    *flags = found->second->flags;
    return kSuccess;
  });
}

int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = 0;
  return kSuccess;
}

int cudaStreamDestroy(void* handle) {
  return guarded("cudaStreamDestroy", [&](Runtime& runtime) -> int {
    const auto found = runtime.streams.find(handle);
    if (found == runtime.streams.end()) return kInvalidResourceHandle;
    runtime.session().note(Kind::kDestroyStream, found->second->number);
    runtime.streams.erase(found);
    return kSuccess;
  });
}

int cudaStreamSynchronize(const void* handle) {
  return guarded("cudaStreamSynchronize", [&](Runtime& runtime) -> int {
    const auto stream = runtime.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    runtime.session().note(Kind::kSynchroniseStream, *stream);
    runtime.managed.synchronise(runtime.session());
    return kSuccess;
  });
}

// All shared memory is copied with every stream.
int cudaStreamAttachMemAsync(const void* stream, void* /*pointer*/, std::size_t /*bytes*/,
                             unsigned /*flags*/) {
  return check_stream("cudaStreamAttachMemAsync", stream);
}

int cudaStreamQuery(const void* stream) {
  return check_stream("cudaStreamQuery", stream);
}

int cudaStreamWaitEvent(const void* handle, const void* event_handle, unsigned /*flags*/) {
  return guarded("cudaStreamWaitEvent", [&](Runtime& runtime) -> int {
    const auto stream = runtime.stream(handle);
    const Event* event = find_event(runtime, event_handle);
    if (!stream || event == nullptr) return kInvalidResourceHandle;
    if (event->recorded) runtime.session().note(Kind::kWait, *stream, event->number);
    return kSuccess;
  });
}

int cudaLaunchHostFunc(const void* stream, void (*act)(void*), void* data) {
  const int error = check_stream("cudaLaunchHostFunc", stream);
  if (error == kSuccess) act(data);
  return error;
}

int cudaStreamAddCallback(void* stream, void (*act)(void*, int, void*), void* data, unsigned /*flags*/) {
  const int error = check_stream("cudaStreamAddCallback", stream);
  if (error == kSuccess) act(stream, kSuccess, data);
  return error;
}

int cudaEventCreate(void** event) {
  return create_event("cudaEventCreate", event, 0);
}

int cudaEventCreateWithFlags(void** event, unsigned flags) {
  return create_event("cudaEventCreateWithFlags", event, flags);
}

int cudaEventDestroy(void* handle) {
  return guarded("cudaEventDestroy", [&](Runtime& runtime) -> int {
    const Event* event = find_event(runtime, handle);
    if (event == nullptr) return kInvalidResourceHandle;
    if (event->recorded) runtime.session().note(Kind::kDestroyEvent, 0, event->number);
    runtime.events.erase(handle);
    return kSuccess;
  });
}

int cudaEventRecord(void* handle, const void* stream_handle) {
  return guarded("cudaEventRecord", [&](Runtime& runtime) -> int {
    const auto stream = runtime.stream(stream_handle);
    Event* event = find_event(runtime, handle);
    if (!stream || event == nullptr) return kInvalidResourceHandle;
    event->recorded = true;
    event->time_ps = runtime.session().now_ps();
    runtime.session().note(Kind::kRecord, *stream, event->number);
    return kSuccess;
  });
}

int cudaEventRecordWithFlags(void* event, const void* stream, unsigned /*flags*/) {
  return cudaEventRecord(event, stream);
}

int cudaEventSynchronize(const void* handle) {
  return guarded("cudaEventSynchronize", [&](Runtime& runtime) -> int {
    const Event* event = find_event(runtime, handle);
    if (event == nullptr) return kInvalidResourceHandle;
    if (event->recorded) runtime.session().note(Kind::kSynchroniseEvent, 0, event->number);
    runtime.managed.synchronise(runtime.session());
    return kSuccess;
  });
}

int cudaEventQuery(const void* handle) {
  return guarded("cudaEventQuery", [&](Runtime& runtime) -> int {
    return find_event(runtime, handle) == nullptr ? kInvalidResourceHandle : kSuccess;
  });
}

int cudaEventElapsedTime(float* milliseconds, const void* start_handle, const void* end_handle) {
  return guarded("cudaEventElapsedTime", [&](Runtime& runtime) -> int {
    const Event* start = find_event(runtime, start_handle);
    const Event* end = find_event(runtime, end_handle);
    if (start == nullptr || end == nullptr || !start->recorded || !end->recorded || !start->timed ||
        !end->timed)
      return kInvalidResourceHandle;
    const auto difference = static_cast<double>(end->time_ps) - static_cast<double>(start->time_ps);
    *milliseconds = static_cast<float>(difference * 1e-9);
    return kSuccess;
  });
}

int cudaEventElapsedTime_v2(float* milliseconds, const void* start, const void* end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}

int cudaDeviceSynchronize() {
  return synchronise("cudaDeviceSynchronize");
}

int cudaThreadSynchronize() {
  return synchronise("cudaThreadSynchronize");
}
}
