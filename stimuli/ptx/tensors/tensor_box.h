#pragma once
// A box of a tensor, row by row (PTX ISA, "Tensors").

#include <array>
#include <cstdint>

#include "stimuli/ptx/tensors/tensor_map.h"

namespace heddle::ptx {

using TensorCoordinates = std::array<std::int32_t, TensorMap::kMostDimensions>;

// A BoxRow consists of the elements of a box that follow each other along the first dimension. The elements
// of it that lie in the array are one range, which may be empty.
struct BoxRow {
  Address address = 0;       // in device memory, of the first byte that lies in the array
  std::uint32_t begin = 0;   // bytes of the row in front of the array
  std::uint32_t bytes = 0;   // bytes of the row in the array
  std::uint32_t offset = 0;  // of the row in the box, in bytes of shared memory before the swizzle
};

// A BoxRows goes through the rows of the box whose first element has the coordinates `at`. The box has less
// than 2^32 rows.
class BoxRows {
 public:
  BoxRows(const TensorMap& map, const TensorCoordinates& at)
      : map_(map), at_(at), rows_(static_cast<std::uint32_t>(map.rows_of_box())) {}

  std::uint32_t size() const { return rows_; }
  BoxRow operator[](std::uint32_t number) const;

 private:
  const TensorMap& map_;
  const TensorCoordinates at_;
  const std::uint32_t rows_;
};

// The bytes of elements that lie outside of the array: a NaN of each type of floats, whose bits are all ones
// but for the sign (a choice of Heddle's, since CUDA does not say which NaN it is).
std::byte fill_byte(const TensorMap& map, std::uint32_t byte);

}  // namespace heddle::ptx
