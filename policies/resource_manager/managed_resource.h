#pragma once
// A ManagedResource is a resource of an SM that a resource manager gives to warps and blocks, set by set.

#include <cstddef>
#include <cstdint>

namespace heddle {

enum class ManagedResource : std::uint8_t { kSlots, kSharedMemory, kRegisters };
constexpr std::size_t kManagedResources = 3;

}  // namespace heddle
