#pragma once
// A TensorMap describes an array in device memory of which copies in bulk take boxes. A program gets one from
// cuTensorMapEncodeTiled() (CUDA driver API, "Tensor Map Object Management") as 128 bytes whose meaning
// NVIDIA does not publish. The encoding here is Heddle's own.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "models/core/base/ids.h"

namespace heddle::ptx {

struct TensorMap {
  static constexpr std::size_t kMostDimensions = 5;
  static constexpr std::size_t kBytes = 128;     // of an encoded map
  static constexpr std::size_t kAlignment = 64;  // of its address, in bytes

  enum class Element : std::uint8_t {  // in the order of CUtensorMapDataType
    kU8,
    kU16,
    kU32,
    kS32,
    kU64,
    kS64,
    kF16,
    kF32,
    kF64,
    kBf16,
    kFlushedF32,
    kTf32,
    kFlushedTf32,
  };
  static constexpr std::size_t kElements = 13;

  // The first dimension is the one whose elements follow each other in memory.
  struct Dimension {
    std::uint64_t size = 1;    // elements of the array, 1 .. 2^32
    std::uint64_t stride = 0;  // bytes from an element to the next one; multiples of 16 behind the first
                               // dimension, below 2^40
    std::uint32_t box = 1;     // elements that a box spans, 1 .. 256
    std::uint32_t step = 1;    // a box has every so many elements, 1 .. 8; 1 in the first dimension
  };

  // The widths in bytes within which a swizzle permutes chunks of 16 bytes; 0 stands for no swizzle.
  static constexpr std::array<std::uint32_t, 4> kSwizzles{0, 32, 64, 128};

  std::uint32_t element_bytes() const;
  bool is_float() const;
  std::uint32_t row_bytes() const { return dimension[0].box * element_bytes(); }  // of a box
  // Returns the bytes of shared memory from the start of a row to the start of the next one. Where a swizzle
  // spans more bytes than a row, the row takes all of them (CUDA programming guide, tensor memory access).
  std::uint32_t row_pitch() const { return swizzle > row_bytes() ? swizzle : row_bytes(); }
  std::uint32_t rows(std::size_t d) const {  // that a box has along the dimension
    return (dimension[d].box + dimension[d].step - 1) / dimension[d].step;
  }
  // Returns the rows of a box, and the bytes of it that a barrier object counts.
  std::uint64_t rows_of_box() const;
  std::uint64_t bytes_of_box() const { return rows_of_box() * row_bytes(); }

  Address address = 0;  // of the first element; a multiple of 16
  Element element = Element::kU8;
  std::uint8_t dimensions = 1;
  std::array<Dimension, kMostDimensions> dimension;
  std::uint32_t swizzle = 0;    // one of kSwizzles
  bool fills_with_nan = false;  // elements outside of the array are NaN; otherwise they are zero
};

// Returns the reason for which hardware would reject the map, or an empty string if the map is valid.
std::string problem_of(const TensorMap& map);

using EncodedTensorMap = std::array<std::byte, TensorMap::kBytes>;
EncodedTensorMap encode(const TensorMap& map);                   // of a valid map
std::optional<TensorMap> decode(const EncodedTensorMap& bytes);  // nothing: they are no valid map

}  // namespace heddle::ptx
