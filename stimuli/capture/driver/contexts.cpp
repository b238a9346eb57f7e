// This file implements the driver's start, its device and its contexts.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "stimuli/capture/cudart/calls.h"
#include "stimuli/capture/driver/driver.h"
#include "stimuli/capture/runtime/device_attributes.h"

namespace heddle::capture {

namespace {

struct Contexts {
  bool initialised = false;
  Context primary;
  unsigned primary_users = 0;
  std::unique_ptr<Context> created;  // a program may have one beside the primary context
};

Contexts& contexts() {
  static auto& all = *new Contexts;  // outlives every exit handler
  return all;
}

thread_local std::vector<Context*> stack;  // the last one is current

bool is_context(const void* handle) {
  return handle != nullptr && (handle == &contexts().primary || handle == contexts().created.get() ||
                               Runtime::get().green_contexts.count(handle) != 0);
}

Context* current_context() {
  if (!stack.empty()) return is_context(stack.back()) ? stack.back() : nullptr;
  return Runtime::get().was_called() ? &contexts().primary : nullptr;  // the runtime has made it current
}

// Calls act() if there is this device.
template <typename Act>
int for_device(int device, const Act& act) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (const int error = check_initialised(); error != kSuccess) return error;
  return device == 0 ? driver_error(act()) : static_cast<int>(kInvalidDevice);
}

int create_context(void** handle, unsigned flags, int device) {
  return for_device(device, [&]() -> int {
    if (handle == nullptr) return kInvalidValue;
    if (contexts().created != nullptr)
      stop("a second context is not supported; use one, or the primary context");
    contexts().created = std::make_unique<Context>();
    contexts().created->flags = flags;
    stack.push_back(contexts().created.get());
    *handle = stack.back();
    return kSuccess;
  });
}

int reset_device() {
  const KeptLastError kept;
  return guarded("a reset of the device", [](Runtime& runtime) -> int {
    if (runtime.is_open()) runtime.reset();
    return kSuccess;
  });
}

}  // namespace

GreenContext* current_green_context() {
  if (stack.empty()) return nullptr;
  const auto found = Runtime::get().green_contexts.find(stack.back());
  return found == Runtime::get().green_contexts.end() ? nullptr : found->second.get();
}

void* primary_context() {
  return &contexts().primary;
}

int check_device(int device) {
  return for_device(device, []() -> int { return kSuccess; });
}

int check_initialised() {
  return contexts().initialised || Runtime::get().was_called() ? static_cast<int>(kSuccess)
                                                               : static_cast<int>(kDriverNotInitialised);
}

int check_context() {
  if (const int error = check_initialised(); error != kSuccess) return error;
  return current_context() == nullptr ? static_cast<int>(kDriverInvalidContext) : static_cast<int>(kSuccess);
}

int driver_error(int runtime_error) {
  switch (runtime_error) {
    case kInvalidConfiguration:
    case kInvalidPitchValue:
    case kInvalidMemcpyDirection:
    case kInvalidTexture:
    case kInvalidChannelDescriptor:
      return kInvalidValue;
    case kInvalidSymbol:
      return kDriverNotFound;
    case kInvalidDeviceFunction:
      return kDriverInvalidHandle;
    default:
      return runtime_error;
  }
}

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cuInit(unsigned flags) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (flags != 0) return kInvalidValue;
  contexts().initialised = true;
  return kSuccess;
}

int cuDeviceGet(int* device, int ordinal) {
  return for_device(ordinal, [&]() -> int {
    *device = 0;
    return kSuccess;
  });
}

int cuDeviceGetCount(int* count) {
  return for_device(0, [&]() -> int {
    *count = 1;
    return kSuccess;
  });
}

int cuDeviceGetName(char* name, int bytes, int device) {
  return for_device(device, [&]() -> int {
    if (name == nullptr || bytes <= 0) return kInvalidValue;
    const std::string text = fmt::format("Heddle {}", Runtime::get().session().spec().name);
    const std::size_t count = std::min(text.size(), static_cast<std::size_t>(bytes) - 1);
    std::memcpy(name, text.data(), count);
    name[count] = '\0';
    return kSuccess;
  });
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return for_device(device, [&]() -> int {
    *bytes = Runtime::get().session().spec().device_bytes;
    return kSuccess;
  });
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return for_device(device, [&] {
    const KeptLastError kept;
    return cudaDeviceGetAttribute(value, attribute, 0);
  });
}

int cuDeviceComputeCapability(int* major, int* minor, int device) {
  return for_device(device, [&]() -> int {
    const auto capability = static_cast<int>(Runtime::get().session().spec().compute_capability);
    *major = capability / 10;
    *minor = capability % 10;
    return kSuccess;
  });
}

int cuDeviceGetUuid(char* to, int device) {
  return for_device(device, [&]() -> int {
    std::memset(to, 0, 16);
    return kSuccess;
  });
}

int cuDeviceGetUuid_v2(char* to, int device) {
  return cuDeviceGetUuid(to, device);
}

int cuDeviceCanAccessPeer(int* can, int device, int /*peer*/) {
  return for_device(device, [&]() -> int {
    *can = 0;
    return kSuccess;
  });
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  return for_device(device, [&]() -> int {
    ++contexts().primary_users;
    *context = &contexts().primary;
    return kSuccess;
  });
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  return for_device(device, []() -> int {
    if (contexts().primary_users == 0) return kDriverInvalidContext;
    return --contexts().primary_users == 0 ? reset_device() : static_cast<int>(kSuccess);
  });
}

int cuDevicePrimaryCtxReset_v2(int device) {
  return for_device(device, [] { return reset_device(); });
}

int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  return for_device(device, [&]() -> int {
    *flags = contexts().primary.flags;
    *active = contexts().primary_users > 0 || Runtime::get().was_called() ? 1 : 0;
    return kSuccess;
  });
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  return for_device(device, [&]() -> int {
    contexts().primary.flags = flags;
    return kSuccess;
  });
}

int cuCtxCreate_v2(void** context, unsigned flags, int device) {
  return create_context(context, flags, device);
}

int cuCtxCreate_v3(void** context, const void* /*affinities*/, int /*count*/, unsigned flags, int device) {
  return create_context(context, flags, device);
}

int cuCtxCreate_v4(void** context, const void* /*parameters*/, unsigned flags, int device) {
  return create_context(context, flags, device);
}

// What the program has on the device goes with its context.
int cuCtxDestroy_v2(const void* context) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (const int error = check_initialised(); error != kSuccess) return error;
  if (context == nullptr || context != contexts().created.get()) return kDriverInvalidContext;
  if (!stack.empty() && stack.back() == context) stack.pop_back();
  contexts().created.reset();
  return reset_device();
}

int cuCtxPushCurrent_v2(void* context) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (const int error = check_initialised(); error != kSuccess) return error;
  if (!is_context(context)) return kDriverInvalidContext;
  stack.push_back(static_cast<Context*>(context));
  return kSuccess;
}

int cuCtxPopCurrent_v2(void** context) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (const int error = check_initialised(); error != kSuccess) return error;
  if (stack.empty()) return kDriverInvalidContext;
  if (context != nullptr) *context = stack.back();
  stack.pop_back();
  return kSuccess;
}

int cuCtxSetCurrent(void* context) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (const int error = check_initialised(); error != kSuccess) return error;
  if (context != nullptr && !is_context(context)) return kDriverInvalidContext;
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(static_cast<Context*>(context));
  return kSuccess;
}

int cuCtxGetCurrent(void** context) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (const int error = check_initialised(); error != kSuccess) return error;
  *context = current_context();
  return kSuccess;
}

int cuCtxGetDevice(int* device) {
  return in_context([&]() -> int {
    *device = 0;
    return kSuccess;
  });
}

int cuCtxGetDevice_v2(int* device, const void* context) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (context == nullptr) return cuCtxGetDevice(device);
  if (const int error = check_initialised(); error != kSuccess) return error;
  if (!is_context(context)) return kDriverInvalidContext;
  *device = 0;
  return kSuccess;
}

int cuCtxGetFlags(unsigned* flags) {
  return in_context([&]() -> int {
    *flags = current_context()->flags;
    return kSuccess;
  });
}

int cuCtxSynchronize() {
  return in_context([] { return cudaDeviceSynchronize(); });
}

// All contexts share the GPU, and each call waits for all of it.
int cuCtxSynchronize_v2(const void* context) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (context == nullptr) return cuCtxSynchronize();
  if (const int error = check_initialised(); error != kSuccess) return error;
  if (!is_context(context)) return kDriverInvalidContext;
  const KeptLastError kept;
  return driver_error(cudaDeviceSynchronize());
}

int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

// The settings have no effect, because the platform states how the memory of an SM is split.
int cuCtxSetCacheConfig(int /*preference*/) {
  return in_context([]() -> int { return kSuccess; });
}

int cuCtxSetSharedMemConfig(int /*banks*/) {
  return in_context([]() -> int { return kSuccess; });
}

// The limits of stack, printf buffer and heap have no effect here.
int cuCtxSetLimit(int limit, std::size_t /*value*/) {
  constexpr int kHeap = 2;
  return in_context([&]() -> int { return limit >= 0 && limit <= kHeap ? kSuccess : kInvalidValue; });
}

int cuProfilerStart() {
  return in_context([]() -> int { return kSuccess; });
}

int cuProfilerStop() {
  return in_context([]() -> int { return kSuccess; });
}
}
