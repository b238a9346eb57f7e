#pragma once
// Helpers of all conversions: widths of registers, and numbers of 16 bits.

#include "stimuli/ptx/lanes/lane_loops.h"

namespace heddle::ptx::lanes {

inline std::uint64_t mask_of_bits(std::uint32_t bits) {
  return bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
}

// Returns the width of the register; an operand that is no register is as wide as its type.
inline std::uint32_t operand_bits(const Operand& operand, Type type) {
  return bits_of(operand.kind == OperandKind::kRegister ? operand.type : type);
}

// `mode` is a mode of fesetround().
std::uint32_t half_of(double value, int mode);
double double_of_half(std::uint32_t half);
std::uint32_t bfloat_of(double value, int mode);
double double_of_bfloat(std::uint32_t bits);

}  // namespace heddle::ptx::lanes
