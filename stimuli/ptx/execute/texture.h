#pragma once
// What tex reads: an array on the device and how coordinates find their way into it.

#include <array>
#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle::ptx {

struct Texture {
  enum class Wrap : std::uint8_t { kWrap, kClamp, kMirror, kBorder };  // as cudaTextureAddressMode
  enum class Channel : std::uint8_t { kUnsigned, kSigned, kFloat };

  Address address = 0;
  std::uint32_t width = 0;         // texels
  std::uint32_t height = 0;        // 0: of one dimension
  std::uint64_t pitch = 0;         // bytes from row to row
  std::uint8_t channels = 1;       // 1, 2 or 4
  std::uint8_t channel_bytes = 4;  // 1, 2 or 4; of kFloat 2 or 4
  Channel channel = Channel::kFloat;
  bool linear_memory = false;  // bound to a plain range: 1-D, coordinates are integers, no filter
  bool linear_filter = false;
  bool normalized_coordinates = false;
  bool normalized_values = false;  // integers become floats in [0, 1] or [-1, 1]
  // kWrap and kMirror are of normalized coordinates; of others they are kClamp.
  std::array<Wrap, 2> wrap{Wrap::kClamp, Wrap::kClamp};
};

}  // namespace heddle::ptx
