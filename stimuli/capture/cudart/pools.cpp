// This file implements memory that is allocated and freed in the order of streams, and its pools.

#include <cstring>

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/cudart/stream_capture.h"

extern "C" int cudaFree(void* pointer);

namespace heddle::capture {

namespace {

enum PoolAttribute : int {
  kReuseFirst = 1,  // 1 to 3: which frees an allocation may follow
  kReuseLast = 3,
  kThreshold = 4,
  kReserved = 5,
  kMostReserved = 6,
  kUsed = 7,
  kMostUsed = 8,
};

struct PoolProperties {
  int allocation;  // 1: pinned, which is memory of the device
  int handles;     // for other processes
  int location;    // 1: a device
  int device;
  void* security;
  std::size_t most_bytes;  // 0: no limit
  unsigned char reserved[56];
};

// Where the memory of a pool lies, and how a device may access it.
struct Access {
  int location;  // 1: a device
  int device;
  int flags;  // 0: not, 1: it may read, 3: it may read and write
};
constexpr int kDeviceLocation = 1;
constexpr int kReadAndWrite = 3;

// Returns a stream on which memory can be allocated and freed, or null.
const Stream* stream_of(Runtime& runtime, const void* handle, const char* name) {
  const Stream* const stream = runtime.stream(handle);
  if (stream != nullptr && is_captured(*stream))
    stop(std::string(name) +
         " on a stream that is captured to a graph is not supported; allocate the memory "
         "before the capture begins");
  return stream;
}

int allocate_in_order(const char* name, void** pointer, std::size_t bytes, const void* pool_handle,
                      const void* handle) {
  return guarded(name, [&](Runtime& runtime) -> int {
    if (pointer == nullptr) return kInvalidValue;
    *pointer = nullptr;
    MemoryPool* const pool =
        pool_handle == nullptr ? runtime.pools.current() : runtime.pools.find(pool_handle);
    const Stream* const stream = stream_of(runtime, handle, name);
    if (pool == nullptr) return kInvalidValue;
    if (stream == nullptr) return kInvalidResourceHandle;
    if (bytes == 0) return kSuccess;
    const Address address = runtime.pools.allocate(runtime.session(), *pool, bytes, stream->number);
    if (address == 0) return kMemoryAllocation;
    *pointer = reinterpret_cast<void*>(address);
    return kSuccess;
  });
}

int free_in_order(void* pointer, const void* handle) {
  return guarded("cudaFreeAsync", [&](Runtime& runtime) -> int {
    const Stream* const stream = stream_of(runtime, handle, "cudaFreeAsync");
    if (stream == nullptr) return kInvalidResourceHandle;
    if (pointer == nullptr) return kSuccess;
    const auto address = reinterpret_cast<Address>(pointer);
    if (runtime.pools.pool_of(address) == nullptr) return cudaFree(pointer);
    runtime.pools.free(address, stream->number);
    return kSuccess;
  });
}

// Calls act(runtime, pool) if there is such a pool.
template <typename Act>
int with_pool(const char* name, const void* handle, const Act& act) {
  return guarded(name, [&](Runtime& runtime) -> int {
    MemoryPool* const pool = runtime.pools.find(handle);
    return pool == nullptr ? kInvalidValue : act(runtime, *pool);
  });
}

int tell_pool(const char* name, void** pool, int device, const MemoryPool* (*which)(Runtime&)) {
  return guarded(name, [&](Runtime& runtime) -> int {
    if (device != 0) return kInvalidDevice;
    if (pool == nullptr) return kInvalidValue;
    runtime.session();
    *pool = const_cast<MemoryPool*>(which(runtime));
    return kSuccess;
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cudaMallocAsync(void** pointer, std::size_t bytes, const void* stream) {
  return allocate_in_order("cudaMallocAsync", pointer, bytes, nullptr, stream);
}

int cudaMallocAsync_ptsz(void** pointer, std::size_t bytes, const void* stream) {
  return cudaMallocAsync(pointer, bytes, or_thread_stream(stream));
}

int cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, const void* pool, const void* stream) {
  if (pool == nullptr) return remember(kInvalidValue);
  return allocate_in_order("cudaMallocFromPoolAsync", pointer, bytes, pool, stream);
}

int cudaMallocFromPoolAsync_ptsz(void** pointer, std::size_t bytes, const void* pool, const void* stream) {
  return cudaMallocFromPoolAsync(pointer, bytes, pool, or_thread_stream(stream));
}

int cudaFreeAsync(void* pointer, const void* stream) {
  return free_in_order(pointer, stream);
}

int cudaFreeAsync_ptsz(void* pointer, const void* stream) {
  return free_in_order(pointer, or_thread_stream(stream));
}

int cudaDeviceGetDefaultMemPool(void** pool, int device) {
  return tell_pool("cudaDeviceGetDefaultMemPool", pool, device,
                   [](Runtime& runtime) -> const MemoryPool* { return runtime.pools.standard(); });
}

int cudaDeviceGetMemPool(void** pool, int device) {
  return tell_pool("cudaDeviceGetMemPool", pool, device,
                   [](Runtime& runtime) -> const MemoryPool* { return runtime.pools.current(); });
}

int cudaDeviceSetMemPool(int device, const void* handle) {
  if (device != 0) return remember(kInvalidDevice);
  return with_pool("cudaDeviceSetMemPool", handle, [](Runtime& runtime, MemoryPool& pool) -> int {
    runtime.pools.set_current(&pool);
    return kSuccess;
  });
}

int cudaMemPoolCreate(void** pool, const PoolProperties* properties) {
  constexpr int kPinned = 1;
  return guarded("cudaMemPoolCreate", [&](Runtime& runtime) -> int {
    if (pool == nullptr || properties == nullptr || properties->allocation != kPinned) return kInvalidValue;
    if (properties->location != kDeviceLocation || properties->device != 0) return kInvalidValue;
    if (properties->handles != 0) stop("memory pools for other processes are not supported");
    runtime.session();
    *pool = runtime.pools.create();
    return kSuccess;
  });
}

int cudaMemPoolDestroy(const void* pool) {
  return guarded("cudaMemPoolDestroy", [&](Runtime& runtime) -> int {
    return runtime.pools.destroy(runtime.session(), pool) ? kSuccess : kInvalidValue;
  });
}

int cudaMemPoolTrimTo(const void* handle, std::size_t keep) {
  return with_pool("cudaMemPoolTrimTo", handle, [&](Runtime& runtime, MemoryPool& pool) -> int {
    runtime.pools.trim(runtime.session(), pool, keep);
    return kSuccess;
  });
}

int cudaMemPoolSetAttribute(const void* handle, int attribute, const void* value) {
  return with_pool("cudaMemPoolSetAttribute", handle, [&](Runtime&, MemoryPool& pool) -> int {
    if (value == nullptr) return kInvalidValue;
    std::uint64_t number = 0;
    if (attribute >= kReuseFirst && attribute <= kReuseLast) {
      std::memcpy(&pool.reuses[attribute - kReuseFirst], value, sizeof(int));
      return kSuccess;
    }
    if (attribute != kThreshold && attribute != kMostReserved && attribute != kMostUsed) return kInvalidValue;
    std::memcpy(&number, value, sizeof number);
    if (attribute == kThreshold)
      pool.threshold = number;
    else if (number != 0)
      return kInvalidValue;  // a mark of the most bytes can be reset alone
    else if (attribute == kMostReserved)
      pool.most_reserved = pool.reserved;
    else
      pool.most_used = pool.used;
    return kSuccess;
  });
}

int cudaMemPoolGetAttribute(const void* handle, int attribute, void* value) {
  return with_pool("cudaMemPoolGetAttribute", handle, [&](Runtime&, MemoryPool& pool) -> int {
    if (value == nullptr || attribute < kReuseFirst || attribute > kMostUsed) return kInvalidValue;
    if (attribute <= kReuseLast) {
      std::memcpy(value, &pool.reuses[attribute - kReuseFirst], sizeof(int));
      return kSuccess;
    }
    const std::uint64_t numbers[] = {pool.threshold, pool.reserved, pool.most_reserved, pool.used,
                                     pool.most_used};
    std::memcpy(value, &numbers[attribute - kThreshold], sizeof(std::uint64_t));
    return kSuccess;
  });
}

// The one GPU may always access its memory.
int cudaMemPoolSetAccess(const void* handle, const Access* access, std::size_t count) {
  return with_pool("cudaMemPoolSetAccess", handle, [&](Runtime&, MemoryPool&) -> int {
    for (std::size_t i = 0; i < count; ++i)
      if (access[i].location != kDeviceLocation || access[i].device != 0 || access[i].flags != kReadAndWrite)
        return kInvalidValue;
    return kSuccess;
  });
}

int cudaMemPoolGetAccess(int* flags, const void* handle, const Access* where) {
  return with_pool("cudaMemPoolGetAccess", handle, [&](Runtime&, MemoryPool&) -> int {
    if (where->location != kDeviceLocation || where->device != 0) return kInvalidValue;
    *flags = kReadAndWrite;
    return kSuccess;
  });
}
}
