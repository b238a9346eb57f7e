#pragma once
// Samples a texture (CUDA C++ Programming Guide, "Texture Fetching").

#include <array>
#include <cstdint>

#include "models/core/memory/device_memory.h"
#include "stimuli/ptx/execute/texture.h"
#include "stimuli/ptx/text/statement.h"

namespace heddle::ptx {

struct Texel {
  std::array<std::uint32_t, 4> channels{};  // the bits that tex writes
  Address address = 0;                      // of the texel; with a filter, of the first one that it reads
};

std::uint64_t texel_bytes(const Texture& texture);

// The coordinates x and y count texels, or they are fractions of the size if they are normalized. With
// `integers` they are indices of texels. Throws std::out_of_range where a texel does not lie in an
// allocation.
Texel sample(const Texture& texture, const DeviceMemory& memory, double x, double y, bool integers);

}  // namespace heddle::ptx
