// This file implements the driver's calls on the default stream of the calling thread.

#include "stimuli/capture/driver/driver.h"

using namespace heddle::capture;  // the functions below have C linkage
using heddle::Address;

// Defines NAME_ptsz by NAME; the arguments are those of both, and end with or contain a stream.
#define HEDDLE_PER_THREAD(name, parameters, ...) \
  int name parameters;                           \
  int name##_ptsz parameters {                   \
    return name(__VA_ARGS__);                    \
  }

extern "C" {

HEDDLE_PER_THREAD(cuMemcpyAsync, (Address to, Address from, std::size_t bytes, const void* stream), to, from,
                  bytes, or_thread_stream(stream))
HEDDLE_PER_THREAD(cuMemcpyHtoDAsync_v2, (Address to, const void* from, std::size_t bytes, const void* stream),
                  to, from, bytes, or_thread_stream(stream))
HEDDLE_PER_THREAD(cuMemcpyDtoHAsync_v2, (void* to, Address from, std::size_t bytes, const void* stream), to,
                  from, bytes, or_thread_stream(stream))
HEDDLE_PER_THREAD(cuMemcpyDtoDAsync_v2, (Address to, Address from, std::size_t bytes, const void* stream), to,
                  from, bytes, or_thread_stream(stream))
HEDDLE_PER_THREAD(cuMemsetD8Async, (Address to, unsigned char value, std::size_t count, const void* stream),
                  to, value, count, or_thread_stream(stream))
HEDDLE_PER_THREAD(cuMemsetD16Async, (Address to, unsigned short value, std::size_t count, const void* stream),
                  to, value, count, or_thread_stream(stream))
HEDDLE_PER_THREAD(cuMemsetD32Async, (Address to, unsigned value, std::size_t count, const void* stream), to,
                  value, count, or_thread_stream(stream))
HEDDLE_PER_THREAD(cuMemAllocAsync, (Address * address, std::size_t bytes, const void* stream), address, bytes,
                  or_thread_stream(stream))
HEDDLE_PER_THREAD(cuMemFreeAsync, (Address address, const void* stream), address, or_thread_stream(stream))
HEDDLE_PER_THREAD(cuStreamSynchronize, (const void* stream), or_thread_stream(stream))
HEDDLE_PER_THREAD(cuStreamQuery, (const void* stream), or_thread_stream(stream))
HEDDLE_PER_THREAD(cuStreamWaitEvent, (const void* stream, void* event, unsigned flags),
                  or_thread_stream(stream), event, flags)
HEDDLE_PER_THREAD(cuLaunchHostFunc, (const void* stream, void (*act)(void*), void* data),
                  or_thread_stream(stream), act, data)
HEDDLE_PER_THREAD(cuEventRecord, (void* event, const void* stream), event, or_thread_stream(stream))
HEDDLE_PER_THREAD(cuEventRecordWithFlags, (void* event, const void* stream, unsigned flags), event,
                  or_thread_stream(stream), flags)
HEDDLE_PER_THREAD(cuGraphLaunch, (const void* executable, const void* stream), executable,
                  or_thread_stream(stream))
}
