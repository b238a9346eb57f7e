#pragma once
// This file reads the section `arithmetic` of a platform, which states how many floating-point operations an
// SM performs in a core cycle.

#include "models/core/config/config.h"
#include "models/gpu/arithmetic_spec.h"

namespace heddle {

// A platform without the section states nothing, and runs no kernels that state only their work.
ArithmeticSpec read_arithmetic(const config::Section& root);

}  // namespace heddle
