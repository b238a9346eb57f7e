#pragma once
// Functions that are called without a body in the module.

#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// By name and by the sizes of what it takes and returns; kNone: not known.
External external_of(const Function& function);

}  // namespace heddle::ptx
