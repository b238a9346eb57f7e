#pragma once
// The driver's functions. Most do what a function of the runtime does, with errors of their own numbers; both
// share the runtime's state. There is one GPU, whose memory all contexts share.

#include "stimuli/capture/cudart/runtime.h"

namespace heddle::capture {

// The errors of the driver, numbered as in NVIDIA's cuda.h, that the runtime has not or has other numbers
// for.
enum DriverError : int {
  kDriverNotInitialised = 3,
  kDriverNoBinary = 209,
  kDriverInvalidContext = 201,
  kDriverInvalidPtx = 218,
  kDriverFileNotFound = 301,
  kDriverInvalidHandle = 400,
  kDriverNotFound = 500,
  kDriverInvalidResourceType = 914,
  kDriverInvalidResourceConfiguration = 915,
};

// Returns the error of the driver that means what an error of the runtime means.
int driver_error(int runtime_error);

// Returns an error if the driver is not initialised, or if this thread has no context.
int check_initialised();
int check_context();

int check_device(int device);  // an error of the driver if there is no such device
void* primary_context();

// Calls act(), which returns an error of the runtime, in the context of this thread. Returns the error of the
// driver. The last error of the runtime stays as it was.
template <typename Act>
int in_context(const Act& act) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (const int error = check_context(); error != kSuccess) return error;
  const KeptLastError kept;
  return driver_error(act());
}

inline void* pointer_of(Address address) {
  return reinterpret_cast<void*>(address);
}

}  // namespace heddle::capture
