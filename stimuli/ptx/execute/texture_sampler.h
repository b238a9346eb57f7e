#pragma once
// What tex reads from an array (CUDA C++ Programming Guide, "Texture Fetching").

#include <array>
#include <cstdint>

#include "models/core/memory/device_memory.h"
#include "stimuli/ptx/execute/texture.h"
#include "stimuli/ptx/text/statement.h"

namespace heddle::ptx {

struct Texel {
  std::array<std::uint32_t, 4> channels{};  // bits as tex writes them
  Address address = 0;                      // of the texel, of those of a filter the first
};

std::uint64_t texel_bytes(const Texture& texture);

// x, y: texels, or with normalized coordinates shares of the size; `integers`: they are texels' numbers.
// Throws std::out_of_range where a texel does not lie in an allocation.
Texel sample(const Texture& texture, const DeviceMemory& memory, double x, double y, bool integers);

}  // namespace heddle::ptx
