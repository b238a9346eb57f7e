#pragma once
// These constants and functions place local memory, code, constants and swap space in the context's virtual
// address space, above the addresses of the program. LocalLayout says where a word of local memory lies.

#include "models/core/base/ids.h"

namespace heddle {

constexpr Address kProgramAddresses = Address{1} << 47;  // the addresses of the program are below
constexpr Address kLocalAddresses = 0x8000'0000'0000;
constexpr Address kCodeAddresses = 0x9000'0000'0000;
constexpr Address kConstantAddresses = 0xa000'0000'0000;
constexpr Address kSwapAddresses = 0xb000'0000'0000;   // the swap space of SM 0, then that of SM 1, ...
constexpr Address kSavedAddresses = 0xc000'0000'0000;  // of the saved blocks, by SavedBlock::area
constexpr Address kSavedBytes = Address{1} << 22;      // between two areas; no block has as much state

// Returns the virtual address of an instruction. The code of each kernel has 256 KiB.
inline Address code_address(std::uint32_t tag, std::uint32_t pc) {
  return kCodeAddresses + (Address{tag} << 18) + (pc & 0x3ffff);
}

}  // namespace heddle
