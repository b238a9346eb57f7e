#pragma once
// Where an SM puts what has no address of the program's own, in the context's virtual address space.

#include "models/core/base/ids.h"

namespace heddle {

constexpr Address kProgramAddresses = Address{1} << 47;  // a program's own lie below
constexpr Address kLocalAddresses = 0x8000'0000'0000;
constexpr Address kCodeAddresses = 0x9000'0000'0000;
constexpr Address kConstantAddresses = 0xa000'0000'0000;

// Local memory lies word by word: the same word of all the GPU's threads side by side, so that the lanes of a
// warp share a line. `thread`: of the GPU; `threads`: how many it holds.
inline Address local_address(Address offset, std::uint64_t thread, std::uint64_t threads) {
  return kLocalAddresses + (offset / 4 * threads + thread) * 4 + offset % 4;
}

// Kernels' code, 256 KiB apart.
inline Address code_address(std::uint32_t tag, std::uint32_t pc) {
  return kCodeAddresses + (Address{tag} << 18) + (pc & 0x3ffff);
}

}  // namespace heddle
