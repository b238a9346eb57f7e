#pragma once
// Generic addresses: the windows through which a thread sees the memories that are not the context's. All of
// them lie below device memory (models/core/memory/device_memory.h); addresses in them have 32 bits.

#include <cstdint>

#include "models/core/memory/device_memory.h"
#include "stimuli/ptx/text/type.h"

namespace heddle::ptx {

constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32U;
constexpr std::uint64_t kSharedWindow = 1 * kWindowBytes;
constexpr std::uint64_t kLocalWindow = 2 * kWindowBytes;
constexpr std::uint64_t kParameterWindow = 3 * kWindowBytes;
static_assert(kParameterWindow + kWindowBytes <= DeviceMemory::kFirst);

// What is added to an address of the space to make it generic.
inline std::uint64_t window_of(Space space) {
  if (space == Space::kShared) return kSharedWindow;
  if (space == Space::kLocal) return kLocalWindow;
  return space == Space::kParam ? kParameterWindow : 0;
}

// kGlobal: none of the windows.
inline Space space_of_generic(std::uint64_t address) {
  switch (address / kWindowBytes) {
    case kSharedWindow / kWindowBytes:
      return Space::kShared;
    case kLocalWindow / kWindowBytes:
      return Space::kLocal;
    case kParameterWindow / kWindowBytes:
      return Space::kParam;
    default:
      return Space::kGlobal;
  }
}

}  // namespace heddle::ptx
