// What the platform's GPU is, and settings that change nothing here.

#include <set>

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/runtime/device_attributes.h"

namespace heddle::capture {

namespace {

int only_device(const char* name, int device) {
  return guarded(name, [&](Runtime&) -> int { return device == 0 ? kSuccess : kInvalidDevice; });
}

// All that the program holds on the device is gone; its modules are loaded anew where they are used again.
int reset(const char* name) {
  return guarded(name, [](Runtime& runtime) -> int {
    Session& session = runtime.session();
    session.note(CapturedCall::Kind::kSynchronise, 0);
    std::set<std::uint32_t> streams;  // in the order of their making
    for (const auto& [handle, stream] : runtime.streams) streams.insert(stream->number);
    for (const std::uint32_t stream : streams) session.note(CapturedCall::Kind::kDestroyStream, stream);
    while (!session.memory().allocations().empty())
      session.free(session.memory().allocations().begin()->first);
    for (const auto& binary : runtime.binaries) binary->module.reset();
    runtime.streams.clear();
    runtime.events.clear();
    runtime.arrays.clear();
    runtime.bound.clear();
    return kSuccess;
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // what follows is C

extern "C" {

int cudaGetDeviceCount(int* count) {
  *count = 1;
  return kSuccess;
}

int cudaGetDevice(int* device) {
  *device = 0;
  return kSuccess;
}

int cudaSetDevice(int device) {
  return only_device("cudaSetDevice", device);
}

int cudaInitDevice(int device, unsigned /*device_flags*/, unsigned /*flags*/) {
  return only_device("cudaInitDevice", device);
}

int cudaSetValidDevices(int* /*devices*/, int /*count*/) {
  return kSuccess;
}

int cudaChooseDevice(int* device, const void* /*properties*/) {
  *device = 0;
  return kSuccess;
}

int cudaSetDeviceFlags(unsigned /*flags*/) {
  return kSuccess;
}

int cudaGetDeviceFlags(unsigned* flags) {
  *flags = 0;
  return kSuccess;
}

int cudaDeviceGetAttribute(int* value, int attribute, int device) {
  if (device != 0) return remember(kInvalidDevice);
  return guarded("cudaDeviceGetAttribute", [&](Runtime& runtime) -> int {
    const std::optional<int> known = device_attribute(runtime.session().spec(), attribute);
    if (!known) return kInvalidValue;
    *value = *known;
    return kSuccess;
  });
}

int cudaDeviceReset() {
  return reset("cudaDeviceReset");
}

int cudaThreadExit() {
  return reset("cudaThreadExit");
}

// How the platform splits its memory is its own to say.
int cudaDeviceSetCacheConfig(int /*preference*/) {
  return kSuccess;
}

int cudaDeviceGetCacheConfig(int* preference) {
  *preference = 0;
  return kSuccess;
}

int cudaDeviceSetSharedMemConfig(int /*banks*/) {
  return kSuccess;
}

int cudaDeviceGetSharedMemConfig(int* banks) {
  *banks = 1;  // of four bytes
  return kSuccess;
}

// Of stacks, of what is printed and of the heap: none is bounded by these.
int cudaDeviceSetLimit(int limit, std::size_t /*value*/) {
  constexpr int kHeap = 2;
  return remember(limit >= 0 && limit <= kHeap ? kSuccess : kInvalidValue);
}

int cudaDeviceCanAccessPeer(int* can, int /*device*/, int /*peer*/) {
  *can = 0;
  return kSuccess;
}

int cudaDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/) {
  return remember(kPeerAccessUnsupported);
}

int cudaProfilerStart() {
  return kSuccess;
}

int cudaProfilerStop() {
  return kSuccess;
}
}
