#pragma once
// Samples a texture (CUDA C++ Programming Guide, "Texture Fetching").

#include <array>
#include <cstdint>

#include "models/core/memory/device_memory.h"
#include "stimuli/ptx/statements/statement.h"
#include "stimuli/ptx/textures/texture.h"

namespace heddle::ptx {

struct Texel {
  std::array<std::uint32_t, 4> channels{};  // the bits that tex writes
  Address address = 0;                      // of the texel; with a filter, of the first one that it reads
};

std::uint64_t texel_bytes(const Texture& texture);

// Coordinates count texels, or they are fractions of the size if they are normalized. Those of a cube are a
// direction from its centre.
struct SamplePoint {
  std::array<double, 3> at{};
  std::uint32_t layer = 0;  // the last layer stands for those beyond
};

// With `integers` the coordinates are indices of texels. Throws std::out_of_range where a texel does not lie
// in an allocation.
Texel sample(const Texture& texture, const DeviceMemory& memory, const SamplePoint& point, bool integers);

// Returns a component of the four texels that a linear filter of two dimensions would read, counter-clockwise
// from the one with the smaller x and the larger y. Throws as sample().
Texel gather(const Texture& texture, const DeviceMemory& memory, const SamplePoint& point,
             std::size_t component);

}  // namespace heddle::ptx
