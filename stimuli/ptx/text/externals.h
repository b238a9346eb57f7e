#pragma once
// The functions that the device provides, which have no body in any module.

#include <string_view>

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Identifies a function by its name and the sizes of its parameters and results; kNone: unknown.
External external_of(const Function& function);

// Whether the function is one of the CUDA runtime on the device, with which kernels launch kernels.
bool is_device_runtime(std::string_view name);

}  // namespace heddle::ptx
