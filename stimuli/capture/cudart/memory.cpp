// This file implements allocations on the device and the host, and the attributes of pointers.

#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "stimuli/capture/cudart/runtime.h"

using namespace heddle::capture;  // the functions below have C linkage
using heddle::Address;

namespace {

constexpr std::size_t kPitch = 512;      // bytes; a pitch is a multiple of it
constexpr std::size_t kHostPage = 4096;  // bytes
constexpr unsigned kMapped = 2;          // a flag of pinned memory

Address address_of(const void* pointer) {
  return reinterpret_cast<Address>(pointer);
}

int allocate(Runtime& runtime, void** pointer, std::size_t bytes) {
  *pointer = nullptr;
  if (bytes == 0) return kSuccess;
  const Address address = runtime.session().allocate(bytes, "memory");
  if (address == 0) return kMemoryAllocation;
  *pointer = reinterpret_cast<void*>(address);
  return kSuccess;
}

int release(Runtime& runtime, void* pointer) {
  if (pointer == nullptr) return kSuccess;
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

std::size_t up(std::size_t bytes) {
  return (bytes + kPitch - 1) / kPitch * kPitch;
}

int bits_of(const ChannelFormat& channel) {
  return channel.x + channel.y + channel.z + channel.w;
}

}  // namespace

extern "C" {

int cudaMalloc(void** pointer, std::size_t bytes) {
  return guarded("cudaMalloc", [&](Runtime& runtime) { return allocate(runtime, pointer, bytes); });
}

int cudaMallocAsync(void** pointer, std::size_t bytes, void* /*stream*/) {
  return guarded("cudaMallocAsync", [&](Runtime& runtime) { return allocate(runtime, pointer, bytes); });
}

int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return guarded("cudaMallocPitch", [&](Runtime& runtime) {
    *pitch = up(width);
    return allocate(runtime, pointer, *pitch * height);
  });
}

int cudaFree(void* pointer) {
  return guarded("cudaFree", [&](Runtime& runtime) { return release(runtime, pointer); });
}

int cudaFreeAsync(void* pointer, void* /*stream*/) {
  return guarded("cudaFreeAsync", [&](Runtime& runtime) { return release(runtime, pointer); });
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

ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

int cudaMallocArray(void** handle, const ChannelFormat* channel, std::size_t width, std::size_t height,
                    unsigned flags) {
  if (flags != 0) stop("cudaMallocArray: arrays for surfaces and of other kinds are not supported");
  return guarded("cudaMallocArray", [&](Runtime& runtime) -> int {
    constexpr std::size_t kMostTexels = 65536;  // in a row, and rows of an array
    const int bits = bits_of(*channel);
    if (bits <= 0 || bits % 8 != 0) return kInvalidChannelDescriptor;
    if (width == 0 || width > kMostTexels || height > kMostTexels) return kInvalidValue;
    auto array = std::make_unique<Array>();
    array->channel = *channel;
    array->width = static_cast<std::uint32_t>(width);
    array->height = static_cast<std::uint32_t>(height);
    array->rows.bytes = width * static_cast<std::size_t>(bits) / 8;
    array->rows.pitch = up(array->rows.bytes);
    array->rows.count = height == 0 ? 1 : height;
    array->rows.address = runtime.session().allocate(array->rows.extent(), "array");
    if (array->rows.address == 0) return kMemoryAllocation;
    *handle = array.get();
    runtime.arrays.emplace(*handle, std::move(array));
    return kSuccess;
  });
}

int cudaFreeArray(void* handle) {
  return guarded("cudaFreeArray", [&](Runtime& runtime) -> int {
    if (handle == nullptr) return kSuccess;
    const auto found = runtime.arrays.find(handle);
    if (found == runtime.arrays.end()) return kInvalidValue;
    runtime.session().note(CapturedCall::Kind::kSynchronise, 0);
    runtime.session().free(found->second->rows.address);
    runtime.arrays.erase(found);
    return kSuccess;
  });
}

int cudaGetChannelDesc(ChannelFormat* channel, const void* handle) {
  return guarded("cudaGetChannelDesc", [&](Runtime& runtime) -> int {
    const auto found = runtime.arrays.find(handle);
    if (found == runtime.arrays.end()) return kInvalidValue;
    *channel = found->second->channel;
    return kSuccess;
  });
}
}
