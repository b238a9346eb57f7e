// This file implements the properties of the platform's GPU, and settings that have no effect here.

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/runtime/device_attributes.h"

namespace heddle::capture {

namespace {

int only_device(const char* name, int device) {
  return guarded(name, [&](Runtime&) -> int { return device == 0 ? kSuccess : kInvalidDevice; });
}

int reset(const char* name) {
  return guarded(name, [](Runtime& runtime) -> int {
    runtime.reset();
    return kSuccess;
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

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

// The setting has no effect, because the platform states how the memory of an SM is split.
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
  *banks = 1;  // banks of four bytes
  return kSuccess;
}

// The limits of stack, printf buffer and heap have no effect here.
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
