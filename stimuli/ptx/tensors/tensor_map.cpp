#include "stimuli/ptx/tensors/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace heddle::ptx {
namespace {

constexpr std::uint64_t kMostSize = std::uint64_t{1} << 32U;
constexpr std::uint64_t kMostStride = std::uint64_t{1} << 40U;
constexpr std::uint32_t kMostBox = 256;
constexpr std::uint32_t kMostStep = 8;
constexpr std::uint32_t kGranuleBytes = 16;  // of addresses, strides and rows
constexpr std::array<std::uint8_t, TensorMap::kElements> kElementBytes{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

constexpr std::array<char, 8> kMark{'t', 'e', 'n', 's', 'o', 'r', 'm', '1'};

// The layout of an encoded map. Sizes, boxes and steps are stored less one, so that the largest ones fit.
struct Encoded {
  std::array<char, 8> mark;
  std::uint64_t address;
  std::array<std::uint64_t, TensorMap::kMostDimensions> strides;
  std::array<std::uint32_t, TensorMap::kMostDimensions> sizes;
  std::array<std::uint8_t, TensorMap::kMostDimensions> boxes;
  std::array<std::uint8_t, TensorMap::kMostDimensions> steps;
  std::uint8_t dimensions;
  std::uint8_t element;
  std::uint8_t swizzle;
  std::uint8_t fills_with_nan;
};
static_assert(sizeof(Encoded) <= TensorMap::kBytes);

std::string problem_of_dimension(const TensorMap& map, std::size_t d) {
  const TensorMap::Dimension& dimension = map.dimension[d];
  if (dimension.size == 0 || dimension.size > kMostSize)
    return fmt::format("dimension {} has {} elements; it takes 1 to {}", d, dimension.size, kMostSize);
  if (d > 0 && (dimension.stride % kGranuleBytes != 0 || dimension.stride >= kMostStride))
    return fmt::format("dimension {} has a stride of {} bytes; it takes multiples of {} below {}", d,
                       dimension.stride, kGranuleBytes, kMostStride);
  if (dimension.box == 0 || dimension.box > kMostBox)
    return fmt::format("a box of {} elements along dimension {}; it takes 1 to {}", dimension.box, d,
                       kMostBox);
  if (dimension.step == 0 || dimension.step > kMostStep)
    return fmt::format("a box of every element number {} along dimension {}; it takes 1 to {}",
                       dimension.step, d, kMostStep);
  return "";
}

}  // namespace

std::uint32_t TensorMap::element_bytes() const {
  return kElementBytes[static_cast<std::size_t>(element)];
}

bool TensorMap::is_float() const {
  return element >= Element::kF16;
}

std::uint64_t TensorMap::rows_of_box() const {
  std::uint64_t all = 1;
  for (std::size_t d = 1; d < dimensions; ++d) all *= rows(d);
  return all;
}

std::string problem_of(const TensorMap& map) {
  if (map.dimensions == 0 || map.dimensions > TensorMap::kMostDimensions)
    return fmt::format("{} dimensions; it takes 1 to {}", map.dimensions, TensorMap::kMostDimensions);
  if (map.address % kGranuleBytes != 0)
    return fmt::format("the address {:#x} is no multiple of {}", map.address, kGranuleBytes);
  for (std::size_t d = 0; d < map.dimensions; ++d)
    if (std::string problem = problem_of_dimension(map, d); !problem.empty()) return problem;
  if (map.row_bytes() % kGranuleBytes != 0)
    return fmt::format("a row of a box has {} bytes, which are no multiple of {}", map.row_bytes(),
                       kGranuleBytes);
  if (map.swizzle != 0 && map.row_bytes() > map.swizzle)
    return fmt::format("a row of a box has {} bytes, more than the {} of the swizzle", map.row_bytes(),
                       map.swizzle);
  if (map.fills_with_nan && !map.is_float()) return "elements that are no floats cannot be NaN";
  return "";
}

EncodedTensorMap encode(const TensorMap& map) {
  Encoded encoded{};
  encoded.mark = kMark;
  encoded.address = map.address;
  encoded.dimensions = map.dimensions;
  encoded.element = static_cast<std::uint8_t>(map.element);
  encoded.swizzle = static_cast<std::uint8_t>(map.swizzle);
  encoded.fills_with_nan = map.fills_with_nan ? 1 : 0;
  for (std::size_t d = 0; d < map.dimensions; ++d) {
    const TensorMap::Dimension& dimension = map.dimension[d];
    encoded.strides[d] = dimension.stride;
    encoded.sizes[d] = static_cast<std::uint32_t>(dimension.size - 1);
    encoded.boxes[d] = static_cast<std::uint8_t>(dimension.box - 1);
    encoded.steps[d] = static_cast<std::uint8_t>(dimension.step - 1);
  }
  EncodedTensorMap bytes{};
  std::memcpy(bytes.data(), &encoded, sizeof encoded);
  return bytes;
}

std::optional<TensorMap> decode(const EncodedTensorMap& bytes) {
  Encoded encoded{};
  std::memcpy(&encoded, bytes.data(), sizeof encoded);
  const bool known_swizzle = std::find(TensorMap::kSwizzles.begin(), TensorMap::kSwizzles.end(),
                                       encoded.swizzle) != TensorMap::kSwizzles.end();
  if (encoded.mark != kMark || encoded.element >= TensorMap::kElements || !known_swizzle ||
      encoded.dimensions > TensorMap::kMostDimensions)
    return std::nullopt;
  TensorMap map;
  map.address = encoded.address;
  map.dimensions = encoded.dimensions;
  map.element = static_cast<TensorMap::Element>(encoded.element);
  map.swizzle = encoded.swizzle;
  map.fills_with_nan = encoded.fills_with_nan != 0;
  for (std::size_t d = 0; d < map.dimensions; ++d)
    map.dimension[d] = {std::uint64_t{encoded.sizes[d]} + 1, encoded.strides[d],
                        std::uint32_t{encoded.boxes[d]} + 1, std::uint32_t{encoded.steps[d]} + 1};
  if (!problem_of(map).empty()) return std::nullopt;
  return map;
}

}  // namespace heddle::ptx
