// This file implements the functions that make tensor maps.

#include <cstring>
#include <string>

#include "stimuli/capture/driver/driver.h"
#include "stimuli/ptx/tensors/tensor_map.h"

namespace heddle::capture {

namespace {

using ptx::TensorMap;

// Ends the captured program if CUDA defines this value of an argument but Heddle does not support it.
void check_supported(const char* what, int value, std::size_t supported) {
  if (value >= 0 && static_cast<std::size_t>(value) < supported) return;
  stop("cuTensorMapEncodeTiled: " + std::string(what) + " " + std::to_string(value) + " is not supported");
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

// The size of transfers from DRAM that l2_promotion asks for has no effect: a platform states the sectors
// that L2 fetches.
int cuTensorMapEncodeTiled(void* made, int type, unsigned rank, void* address, const std::uint64_t* sizes,
                           const std::uint64_t* strides, const unsigned* box, const unsigned* steps,
                           int interleave, int swizzle, int /*l2_promotion*/, int fill) {
  if (made == nullptr || address == nullptr || sizes == nullptr || box == nullptr || steps == nullptr ||
      (strides == nullptr && rank > 1) || rank == 0 || rank > TensorMap::kMostDimensions)
    return kInvalidValue;
  check_supported("the data type", type, TensorMap::kElements);
  check_supported("the interleaved layout", interleave, 1);
  check_supported("the swizzle", swizzle, TensorMap::kSwizzles.size());
  check_supported("the fill of elements out of bounds", fill, 2);
  TensorMap map;
  map.address = reinterpret_cast<heddle::Address>(address);
  map.element = static_cast<TensorMap::Element>(type);
  map.dimensions = static_cast<std::uint8_t>(rank);
  map.swizzle = TensorMap::kSwizzles[static_cast<std::size_t>(swizzle)];
  map.fills_with_nan = fill == 1;
  // Hardware ignores the step of the first dimension.
  for (std::size_t d = 0; d < rank; ++d)
    map.dimension[d] = {sizes[d], d == 0 ? map.element_bytes() : strides[d - 1], box[d],
                        d == 0 ? 1 : steps[d]};
  if (!problem_of(map).empty()) return kInvalidValue;
  const heddle::ptx::EncodedTensorMap encoded = encode(map);
  std::memcpy(made, encoded.data(), encoded.size());
  return kSuccess;
}

int cuTensorMapReplaceAddress(void* made, void* address) {
  if (made == nullptr || address == nullptr) return kInvalidValue;
  heddle::ptx::EncodedTensorMap encoded;
  std::memcpy(encoded.data(), made, encoded.size());
  std::optional<TensorMap> map = heddle::ptx::decode(encoded);
  if (!map) return kInvalidValue;
  map->address = reinterpret_cast<heddle::Address>(address);
  if (!problem_of(*map).empty()) return kInvalidValue;
  encoded = encode(*map);
  std::memcpy(made, encoded.data(), encoded.size());
  return kSuccess;
}
}
