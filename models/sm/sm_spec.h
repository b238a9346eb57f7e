#pragma once

#include <cstdint>

#include "models/core/kernel.h"

namespace heddle {

struct SmSpec {
  std::uint32_t count = 0;
  SmLimits limits;
};

}  // namespace heddle
