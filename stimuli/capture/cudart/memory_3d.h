#pragma once

#include "stimuli/capture/cudart/operation.h"

namespace heddle::capture {

// Reads the parameters of a copy of three dimensions. Returns an error if they are invalid.
int read_copy(Runtime& runtime, const Copy3D& parameters, CopyOperation& copy);

}  // namespace heddle::capture
