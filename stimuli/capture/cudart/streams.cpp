// This file implements streams, events and synchronisation. Every call is complete when it returns, so a
// query never finds pending work. The calls are recorded with the waits that they express.

#include "stimuli/capture/cudart/streams.h"

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/cudart/stream_capture.h"

namespace heddle::capture {

namespace {

using Kind = CapturedCall::Kind;

int create_stream(const char* name, void** handle, unsigned flags, int priority = kLeastPriority) {
  return guarded(name, [&](Runtime& runtime) -> int {
    void* const made = create_stream(runtime, flags, priority, current_green_context());
    if (made == nullptr) return kInvalidValue;
    *handle = made;
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
    if (const int error = check_host_wait(runtime, nullptr); error != kSuccess) return error;
    runtime.session().note(Kind::kSynchronise, 0);
    runtime.managed.synchronise(runtime.session());
    runtime.pools.waited(runtime.session(), std::nullopt);
    return kSuccess;
  });
}

// Returns success if the stream exists, or else an error.
int check_stream(const char* name, const void* handle) {
  return guarded(name, [&](Runtime& runtime) -> int {
    return runtime.stream(handle) != nullptr ? kSuccess : kInvalidResourceHandle;
  });
}

Event* find_event(Runtime& runtime, const void* handle) {
  const auto found = runtime.events.find(handle);
  return found == runtime.events.end() ? nullptr : found->second.get();
}

}  // namespace

void* create_stream(Runtime& runtime, unsigned flags, int priority, const GreenContext* green) {
  if (flags > kNonBlocking) return nullptr;
  auto stream = std::make_unique<Stream>();
  stream->number = runtime.session().create_stream(
      flags == kNonBlocking, green == nullptr ? std::vector<std::uint32_t>{} : green->sms);
  stream->green = green;
  stream->flags = flags;
  stream->priority = clamped_priority(priority);
  void* const handle = stream.get();
  runtime.streams.emplace(handle, std::move(stream));
  return handle;
}

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

int cudaStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return create_stream("cudaStreamCreateWithPriority", stream, flags, priority);
}

int cudaStreamGetPriority(const void* handle, int* priority) {
  return guarded("cudaStreamGetPriority", [&](Runtime& runtime) -> int {
    const Stream* const stream = runtime.stream(handle);
    if (stream == nullptr) return kInvalidResourceHandle;
    *priority = stream->priority;
    return kSuccess;
  });
}

int cudaStreamGetPriority_ptsz(const void* stream, int* priority) {
  return cudaStreamGetPriority(or_thread_stream(stream), priority);
}

int cudaStreamGetFlags(const void* handle, unsigned* flags) {
  return guarded("cudaStreamGetFlags", [&](Runtime& runtime) -> int {
    const Stream* const stream = runtime.stream(handle);
    if (stream == nullptr) return kInvalidResourceHandle;
    *flags = stream->flags;
    return kSuccess;
  });
}

int cudaStreamGetFlags_ptsz(const void* stream, unsigned* flags) {
  return cudaStreamGetFlags(or_thread_stream(stream), flags);
}

int cudaStreamGetId(const void* handle, std::uint64_t* number) {
  return guarded("cudaStreamGetId", [&](Runtime& runtime) -> int {
    const Stream* const stream = runtime.stream(handle);
    if (stream == nullptr) return kInvalidResourceHandle;
    *number = stream->number;
    return kSuccess;
  });
}

int cudaStreamGetId_ptsz(const void* stream, std::uint64_t* number) {
  return cudaStreamGetId(or_thread_stream(stream), number);
}

int cudaStreamGetDevice(const void* stream, int* device) {
  *device = 0;
  return check_stream("cudaStreamGetDevice", stream);
}

int cudaStreamGetDevice_ptsz(const void* stream, int* device) {
  return cudaStreamGetDevice(or_thread_stream(stream), device);
}

int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = kLeastPriority;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return kSuccess;
}

// The captures of a stream that is destroyed are no longer valid.
int cudaStreamDestroy(void* handle) {
  return guarded("cudaStreamDestroy", [&](Runtime& runtime) -> int {
    const auto found = runtime.streams.find(handle);
    if (found == runtime.streams.end()) return kInvalidResourceHandle;
    check_host_wait(runtime, found->second.get());
    runtime.session().note(Kind::kDestroyStream, found->second->number);
    runtime.streams.erase(found);
    return kSuccess;
  });
}

int cudaStreamSynchronize(const void* handle) {
  return guarded("cudaStreamSynchronize", [&](Runtime& runtime) -> int {
    const Stream* const stream = runtime.stream(handle);
    if (stream == nullptr) return kInvalidResourceHandle;
    if (const int error = check_host_wait(runtime, stream); error != kSuccess) return error;
    runtime.session().note(Kind::kSynchroniseStream, stream->number);
    runtime.managed.synchronise(runtime.session());
    runtime.pools.waited(runtime.session(), stream->number);
    return kSuccess;
  });
}

int cudaStreamSynchronize_ptsz(const void* stream) {
  return cudaStreamSynchronize(or_thread_stream(stream));
}

// All shared memory is copied with every stream.
int cudaStreamAttachMemAsync(const void* stream, void* /*pointer*/, std::size_t /*bytes*/,
                             unsigned /*flags*/) {
  return check_stream("cudaStreamAttachMemAsync", stream);
}

int cudaStreamAttachMemAsync_ptsz(const void* stream, void* pointer, std::size_t bytes, unsigned flags) {
  return cudaStreamAttachMemAsync(or_thread_stream(stream), pointer, bytes, flags);
}

int cudaStreamQuery(const void* handle) {
  return guarded("cudaStreamQuery", [&](Runtime& runtime) -> int {
    const Stream* const stream = runtime.stream(handle);
    return stream == nullptr ? kInvalidResourceHandle : check_host_wait(runtime, stream);
  });
}

int cudaStreamQuery_ptsz(const void* stream) {
  return cudaStreamQuery(or_thread_stream(stream));
}

int cudaStreamWaitEvent(const void* stream, void* event, unsigned flags) {
  constexpr unsigned kExternal = 1;
  if (flags > kExternal) return remember(kInvalidValue);
  return submit("cudaStreamWaitEvent", stream, WaitOperation{event, flags == kExternal});
}

int cudaStreamWaitEvent_ptsz(const void* stream, void* event, unsigned flags) {
  return cudaStreamWaitEvent(or_thread_stream(stream), event, flags);
}

// The function of the program may wait for another thread, so it is called without the lock.
int cudaLaunchHostFunc(const void* handle, void (*act)(void*), void* data) {
  bool captured = false;
  const int error = guarded("cudaLaunchHostFunc", [&](Runtime& runtime) -> int {
    const Stream* const stream = runtime.stream(handle);
    if (stream == nullptr) return kInvalidResourceHandle;
    captured = is_captured(*stream);
    if (captured) return submit(runtime, handle, HostOperation{act, data});
    if (act == nullptr) return kInvalidValue;
    return check_uncaptured(runtime, *stream);
  });
  if (error == kSuccess && !captured) act(data);
  return error;
}

int cudaLaunchHostFunc_ptsz(const void* stream, void (*act)(void*), void* data) {
  return cudaLaunchHostFunc(or_thread_stream(stream), act, data);
}

// A callback cannot be captured to a graph.
int cudaStreamAddCallback(void* handle, void (*act)(void*, int, void*), void* data, unsigned flags) {
  const int error = guarded("cudaStreamAddCallback", [&](Runtime& runtime) -> int {
    const Stream* const stream = runtime.stream(handle);
    if (stream == nullptr) return kInvalidResourceHandle;
    if (act == nullptr || flags != 0) return kInvalidValue;
    return check_host_wait(runtime, stream);
  });
  if (error == kSuccess) act(handle, kSuccess, data);
  return error;
}

int cudaStreamAddCallback_ptsz(void* stream, void (*act)(void*, int, void*), void* data, unsigned flags) {
  return cudaStreamAddCallback(or_thread_stream(stream), act, data, flags);
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

int cudaEventRecord(void* event, const void* stream) {
  return submit("cudaEventRecord", stream, RecordOperation{event});
}

int cudaEventRecord_ptsz(void* event, const void* stream) {
  return cudaEventRecord(event, or_thread_stream(stream));
}

int cudaEventRecordWithFlags(void* event, const void* stream, unsigned flags) {
  constexpr unsigned kExternal = 1;
  if (flags > kExternal) return remember(kInvalidValue);
  return submit("cudaEventRecordWithFlags", stream, RecordOperation{event, flags == kExternal});
}

int cudaEventRecordWithFlags_ptsz(void* event, const void* stream, unsigned flags) {
  return cudaEventRecordWithFlags(event, or_thread_stream(stream), flags);
}

int cudaEventSynchronize(const void* handle) {
  return guarded("cudaEventSynchronize", [&](Runtime& runtime) -> int {
    const Event* event = find_event(runtime, handle);
    if (event == nullptr) return kInvalidResourceHandle;
    if (event->capture != nullptr) return kCapturedEvent;
    if (event->recorded) runtime.session().note(Kind::kSynchroniseEvent, 0, event->number);
    runtime.managed.synchronise(runtime.session());
    return kSuccess;
  });
}

int cudaEventQuery(const void* handle) {
  return guarded("cudaEventQuery", [&](Runtime& runtime) -> int {
    const Event* event = find_event(runtime, handle);
    if (event == nullptr) return kInvalidResourceHandle;
    return event->capture != nullptr ? kCapturedEvent : kSuccess;
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
