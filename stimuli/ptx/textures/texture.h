#pragma once
// A texture or a surface: an array in device memory, and the rules by which coordinates address it.

#include <array>
#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle::ptx {

struct Texture {
  enum class Wrap : std::uint8_t { kWrap, kClamp, kMirror, kBorder };  // cudaTextureAddressMode
  enum class Channel : std::uint8_t { kUnsigned, kSigned, kFloat };

  Address address = 0;
  std::uint32_t width = 0;    // texels
  std::uint32_t height = 0;   // texels; 0: one dimension
  std::uint32_t depth = 0;    // texels; 0: fewer than three dimensions
  std::uint32_t layers = 0;   // 0: the texture has no layers
  bool cube = false;          // a texture of two dimensions for each of the six faces, of each layer
  std::uint64_t pitch = 0;    // bytes between the starts of rows
  std::uint64_t slice = 0;    // bytes between the starts of slices: of the third dimension, layers, faces
  std::uint8_t channels = 1;  // 1, 2 or 4
  std::uint8_t channel_bytes = 4;  // 1, 2 or 4; kFloat: 2 or 4
  Channel channel = Channel::kFloat;
  bool linear_memory = false;  // bound to a range of memory: one dimension, integer coordinates, no filter
  bool linear_filter = false;
  bool normalized_coordinates = false;
  bool normalized_values = false;  // integers become floats in [0, 1] or [-1, 1]
  // kWrap and kMirror apply to normalized coordinates; other coordinates are clamped instead.
  std::array<Wrap, 3> wrap{Wrap::kClamp, Wrap::kClamp, Wrap::kClamp};

  // Returns the number of slices.
  std::uint64_t slices() const {
    constexpr std::uint64_t kFaces = 6;
    if (depth != 0) return depth;
    return (layers == 0 ? 1 : layers) * (cube ? kFaces : 1);
  }
};

}  // namespace heddle::ptx
