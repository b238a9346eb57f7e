#pragma once
// The functions that the device provides, which have no body in any module.

#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// Identifies a function by its name and the sizes of its parameters and results; kNone: unknown.
External external_of(const Function& function);

}  // namespace heddle::ptx
