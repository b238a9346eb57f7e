// This file implements allocations on the device and the host, and the attributes of pointers.

#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/cudart/stream_capture.h"

using namespace heddle::capture;  // the functions below have C linkage
using heddle::Address;

namespace {

constexpr std::size_t kHostPage = 4096;  // bytes
constexpr unsigned kMapped = 2;          // a flag of pinned memory

Address address_of(const void* pointer) {
  return reinterpret_cast<Address>(pointer);
}

int allocate(Runtime& runtime, void** pointer, std::size_t bytes) {
  *pointer = nullptr;
  if (bytes == 0) return kSuccess;
  if (const int error = check_unsafe_call(runtime); error != kSuccess) return error;
  const Address address = runtime.session().allocate(bytes, "memory");
  if (address == 0) return kMemoryAllocation;
  *pointer = reinterpret_cast<void*>(address);
  return kSuccess;
}

// Memory of a pool, which the host frees when it has waited for all work with it.
int release_to_pool(Runtime& runtime, const void* pointer) {
  runtime.session().note(CapturedCall::Kind::kSynchronise, 0);
  runtime.managed.synchronise(runtime.session());
  runtime.pools.free(address_of(pointer), 0);
  runtime.pools.waited(runtime.session(), std::nullopt);
  return kSuccess;
}

int release(Runtime& runtime, void* pointer) {
  if (pointer == nullptr) return kSuccess;
  if (const int error = check_unsafe_call(runtime); error != kSuccess) return error;
  if (runtime.pools.pool_of(address_of(pointer)) != nullptr) return release_to_pool(runtime, pointer);
  if (runtime.pinned.count(pointer) == 0 && runtime.managed.has_one_address(pointer)) {
    runtime.session().note(CapturedCall::Kind::kSynchronise, 0);
    return runtime.managed.free(runtime.session(), pointer) ? kSuccess : kInvalidValue;
  }
  const auto& allocations = runtime.session().memory().allocations();
  if (allocations.count(address_of(pointer)) == 0) return kInvalidValue;
  runtime.session().note(CapturedCall::Kind::kSynchronise, 0);
  runtime.session().free(address_of(pointer));
  return kSuccess;
}

int allocate_shared(Runtime& runtime, void** pointer, std::size_t bytes) {
  *pointer = nullptr;
  if (bytes == 0) return kInvalidValue;
  *pointer = runtime.managed.allocate(runtime.session(), bytes);
  return *pointer == nullptr ? kMemoryAllocation : kSuccess;
}

// The device knows mapped memory by the address that the host has.
int allocate_host(Runtime& runtime, void** pointer, std::size_t bytes, bool mapped) {
  if (mapped) {
    const int error = allocate_shared(runtime, pointer, bytes);
    if (error == kSuccess) runtime.pinned[*pointer] = bytes;
    return error;
  }
  *pointer = std::aligned_alloc(kHostPage, (bytes + kHostPage - 1) / kHostPage * kHostPage);
  if (*pointer == nullptr) return kMemoryAllocation;
  runtime.pinned[*pointer] = bytes;
  return kSuccess;
}

}  // namespace

extern "C" {

int cudaMalloc(void** pointer, std::size_t bytes) {
  return guarded("cudaMalloc", [&](Runtime& runtime) { return allocate(runtime, pointer, bytes); });
}

int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return guarded("cudaMallocPitch", [&](Runtime& runtime) {
    *pitch = pitch_of(width);
    return allocate(runtime, pointer, *pitch * height);
  });
}

int cudaFree(void* pointer) {
  return guarded("cudaFree", [&](Runtime& runtime) { return release(runtime, pointer); });
}

int cudaMallocHost(void** pointer, std::size_t bytes) {
  return guarded("cudaMallocHost",
                 [&](Runtime& runtime) { return allocate_host(runtime, pointer, bytes, false); });
}

int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return guarded("cudaHostAlloc", [&](Runtime& runtime) {
    return allocate_host(runtime, pointer, bytes, (flags & kMapped) != 0);
  });
}

int cudaFreeHost(void* pointer) {
  return guarded("cudaFreeHost", [&](Runtime& runtime) -> int {
    if (pointer == nullptr) return kSuccess;
    if (runtime.pinned.erase(pointer) == 0) return kInvalidValue;
    const bool mapped = runtime.managed.has_one_address(pointer);
    if (runtime.managed.holds(pointer)) {
      runtime.session().note(CapturedCall::Kind::kSynchronise, 0);
      runtime.managed.free(runtime.session(), pointer);
    }
    if (!mapped) std::free(pointer);
    return kSuccess;
  });
}

int cudaHostRegister(void* pointer, std::size_t bytes, unsigned /*flags*/) {
  return guarded("cudaHostRegister", [&](Runtime& runtime) -> int {
    if (pointer == nullptr || bytes == 0) return kInvalidValue;
    runtime.pinned[pointer] = bytes;
    return kSuccess;
  });
}

int cudaHostUnregister(void* pointer) {
  return guarded("cudaHostUnregister", [&](Runtime& runtime) -> int {
    if (runtime.pinned.erase(pointer) == 0) return kInvalidValue;
    if (runtime.managed.holds(pointer)) {
      runtime.session().note(CapturedCall::Kind::kSynchronise, 0);
      runtime.managed.free(runtime.session(), pointer);
    }
    return kSuccess;
  });
}

// Pinned memory that is not mapped when it is allocated has an address of its own on the device.
int cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return guarded("cudaHostGetDevicePointer", [&](Runtime& runtime) -> int {
    auto after = runtime.pinned.upper_bound(host);
    if (flags != 0 || after == runtime.pinned.begin()) return kInvalidValue;
    --after;
    const Address offset = address_of(host) - address_of(after->first);
    if (offset >= after->second) return kInvalidValue;
    const Address start =
        runtime.managed.map(runtime.session(), const_cast<void*>(after->first), after->second);
    if (start == 0) return kMemoryAllocation;
    *device = reinterpret_cast<void*>(start + offset);
    return kSuccess;
  });
}

int cudaHostGetFlags(unsigned* flags, void* host) {
  return guarded("cudaHostGetFlags", [&](Runtime& runtime) -> int {
    if (runtime.pinned.count(host) == 0) return kInvalidValue;
    *flags = runtime.managed.holds(host) ? kMapped : 0;
    return kSuccess;
  });
}

int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned /*flags*/) {
  return guarded("cudaMallocManaged",
                 [&](Runtime& runtime) { return allocate_shared(runtime, pointer, bytes); });
}

// Advice on managed memory has no effect, because it is copied at launches.
int cudaMemAdvise() {
  return kSuccess;
}

int cudaMemAdvise_v2() {
  return kSuccess;
}

int cudaMemPrefetchAsync() {
  return kSuccess;
}

int cudaMemPrefetchAsync_v2() {
  return kSuccess;
}

int cudaMemPrefetchAsync_ptsz() {
  return kSuccess;
}

int cudaMemPrefetchAsync_v2_ptsz() {
  return kSuccess;
}

int cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return guarded("cudaMemGetInfo", [&](Runtime& runtime) -> int {
    *free = runtime.session().free_bytes();
    *total = runtime.session().spec().device_bytes;
    return kSuccess;
  });
}

int cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return guarded("cudaPointerGetAttributes", [&](Runtime& runtime) -> int {
    *attributes = {};
    if (runtime.managed.has_one_address(pointer)) {
      const auto after = runtime.pinned.upper_bound(pointer);
      const bool mapped =
          after != runtime.pinned.begin() &&
          address_of(pointer) - address_of(std::prev(after)->first) < std::prev(after)->second;
      attributes->kind = mapped ? 1 : 3;
      attributes->host_pointer = attributes->device_pointer = const_cast<void*>(pointer);
      return kSuccess;
    }
    if (runtime.session().memory().find(address_of(pointer)) != nullptr) {
      attributes->kind = 2;
      attributes->device_pointer = const_cast<void*>(pointer);
      return kSuccess;
    }
    attributes->host_pointer = const_cast<void*>(pointer);
    auto after = runtime.pinned.upper_bound(pointer);
    if (after == runtime.pinned.begin()) return kSuccess;
    --after;
    if (address_of(pointer) - address_of(after->first) < after->second) attributes->kind = 1;
    return kSuccess;
  });
}
}
