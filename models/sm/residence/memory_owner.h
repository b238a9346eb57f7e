#pragma once

#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle {

// A MemoryOwner says to which warp, context and launch an access belongs.
struct MemoryOwner {
  std::uint32_t warp = 0;  // slot
  ContextId context;
  AccountId account;
  std::uint8_t copy_group = 0;  // of an asynchronous copy (CopyGroups)
};

}  // namespace heddle
