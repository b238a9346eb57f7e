#include "stimuli/ptx/tensors/tensor_box.h"

#include <algorithm>

namespace heddle::ptx {

BoxRow BoxRows::operator[](std::uint32_t number) const {
  BoxRow row;
  row.offset = number * map_.row_pitch();
  const std::uint32_t element = map_.element_bytes();
  const auto size = static_cast<std::int64_t>(map_.dimension[0].size);
  const std::int64_t first = at_[0];
  const std::int64_t begin = std::clamp<std::int64_t>(0, first, first + map_.dimension[0].box);
  const std::int64_t end = std::clamp<std::int64_t>(size, begin, first + map_.dimension[0].box);
  row.begin = static_cast<std::uint32_t>(begin - first) * element;
  row.bytes = static_cast<std::uint32_t>(end - begin) * element;
  row.address = map_.address + static_cast<Address>(begin) * element;
  for (std::size_t d = 1; d < map_.dimensions; ++d) {
    const TensorMap::Dimension& dimension = map_.dimension[d];
    const std::int64_t place = std::int64_t{at_[d]} + std::int64_t{number % map_.rows(d)} * dimension.step;
    number /= map_.rows(d);
    if (place < 0 || place >= static_cast<std::int64_t>(dimension.size)) row.bytes = 0;
    row.address += static_cast<Address>(place) * dimension.stride;
  }
  return row;
}

std::byte fill_byte(const TensorMap& map, std::uint32_t byte) {
  if (!map.fills_with_nan) return std::byte{0};
  const bool is_last = byte % map.element_bytes() == map.element_bytes() - 1;
  return is_last ? std::byte{0x7f} : std::byte{0xff};
}

}  // namespace heddle::ptx
