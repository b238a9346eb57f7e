#pragma once
// The resources of an SM that a resource manager gives out in sets.

#include <cstddef>
#include <cstdint>

namespace heddle {

enum class ManagedResource : std::uint8_t { kSlots, kSharedMemory, kRegisters };
constexpr std::size_t kManagedResources = 3;

}  // namespace heddle
