#pragma once
// The swizzle of a tile in shared memory, which tensor copies write and products of warpgroups read (PTX ISA,
// "Swizzling Modes"). Within the swizzle's bytes, which are 32, 64 or 128, it permutes chunks of 16 bytes.

#include <cstdint>

namespace heddle::ptx {

// Returns the address in shared memory of the byte that lies at `address` without a swizzle. The number of
// its chunk within the swizzle's bytes is combined by exclusive or with bits 7 and up of the address. These
// bits are the number of a row of 128 bytes, and rows count from row `base`, 0 .. 7. A swizzle of 0 changes
// no address.
constexpr std::uint32_t swizzled(std::uint32_t address, std::uint32_t swizzle, std::uint32_t base = 0) {
  constexpr std::uint32_t kChunkBytes = 16;
  constexpr std::uint32_t kRowBytes = 128;
  if (swizzle == 0) return address;
  const std::uint32_t row = address / kRowBytes - base;
  return address ^ (row % (swizzle / kChunkBytes) * kChunkBytes);
}

}  // namespace heddle::ptx
