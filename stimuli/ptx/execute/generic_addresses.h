#pragma once
// Generic addresses: the windows through which they reach memories, and the steps that convert and test them.
// A generic address reaches shared memory, local memory and parameters through windows. All windows lie below
// device memory (models/core/memory/device_memory.h), and an offset in a window has 32 bits.

#include <cstdint>

#include "models/core/memory/device_memory.h"
#include "stimuli/ptx/execute/warp_step.h"
#include "stimuli/ptx/statements/type.h"
#include "stimuli/ptx/steps/image.h"

namespace heddle::ptx {

constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32U;
constexpr std::uint64_t kSharedWindow = 1 * kWindowBytes;
constexpr std::uint64_t kLocalWindow = 2 * kWindowBytes;
constexpr std::uint64_t kParameterWindow = 3 * kWindowBytes;
static_assert(kParameterWindow + kWindowBytes <= DeviceMemory::kFirst);

// Returns the number that makes an address of the space generic when it is added.
inline std::uint64_t window_of(Space space) {
  if (space == Space::kShared) return kSharedWindow;
  if (space == Space::kLocal) return kLocalWindow;
  return space == Space::kParam ? kParameterWindow : 0;
}

// Returns kGlobal for an address outside of all windows.
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

// Executes cvta, which converts addresses.
void convert_addresses(const WarpStep& at);
// Executes isspacep, which tests them.
void test_address_space(const WarpStep& at, const Image& image);

}  // namespace heddle::ptx
