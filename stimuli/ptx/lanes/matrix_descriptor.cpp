#include "stimuli/ptx/lanes/matrix_descriptor.h"

#include <array>

#include "stimuli/ptx/lanes/swizzle.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kRowsOfAtom = 8;
constexpr std::array<std::uint32_t, 4> kSwizzles{0, 128, 64, 32};

std::uint32_t bytes_at(std::uint64_t bits, std::uint32_t first) {
  return static_cast<std::uint32_t>(bits >> first & 0x3fffU) * MatrixDescriptor::kChunkBytes;
}

}  // namespace

MatrixDescriptor::MatrixDescriptor(std::uint64_t bits)
    : start(bytes_at(bits, 0)),
      leading(bytes_at(bits, 16)),
      stride(bytes_at(bits, 32)),
      swizzle(kSwizzles[bits >> 62U]),
      base(static_cast<std::uint32_t>(bits >> 49U & 7U)) {}

Address MatrixDescriptor::place_of(std::uint32_t line, std::uint32_t chunk, bool k_major) const {
  const std::uint32_t atom = line / kRowsOfAtom;
  const std::uint32_t row = line % kRowsOfAtom;
  if (swizzle == 0) {
    const std::uint32_t in_matrix = row * kChunkBytes;
    return start + in_matrix + (k_major ? atom * stride + chunk * leading : atom * leading + chunk * stride);
  }
  const std::uint32_t chunks = swizzle / kChunkBytes;  // of a row
  std::uint32_t address = start + row * swizzle + atom * stride;
  // Along k a product has two chunks, which lie in the same row.
  address += k_major ? chunk * kChunkBytes : chunk / chunks * leading + chunk % chunks * kChunkBytes;
  return swizzled(address, swizzle, base);
}

}  // namespace heddle::ptx
