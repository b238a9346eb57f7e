#pragma once
// Values that test arithmetic, by PTX type.

#include <cstdint>
#include <random>
#include <vector>

#include "stimuli/ptx/statements/type.h"

namespace heddle::ptx {

// Returns the edge cases of a type as bit patterns.
inline std::vector<std::uint64_t> edges_of(Type type) {
  if (type == Type::kPred) return {0, 1};
  if (type == Type::kF32)
    return {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
            0x7f812345, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff,
            0xff7fffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4effffff, 0x4f000000,
            0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x33800000, 0x3f7fffff, 0x3f800001};
  if (type == Type::kF64)
    return {0,
            1ULL << 63U,
            0x3ff0000000000000,
            0xbff0000000000000,
            0x7ff0000000000000,
            0xfff0000000000000,
            0x7ff8000000000000,
            0xfff0000000000001,
            1,
            0x8000000000000001,
            0x000fffffffffffff,
            0x0010000000000000,
            0x7fefffffffffffff,
            0xffefffffffffffff,
            0x3fe0000000000000,
            0xbfe0000000000000,
            0x4004000000000000,
            0xc004000000000000,
            0x41dfffffffc00000,
            0x41e0000000000000,
            0xc1e0000000200000,
            0x43e0000000000000,
            0xc3e0000000000000,
            0x43f0000000000000,
            0x47efffffe0000000,
            0x47effffff0000000,
            0x380fffffe0000000,
            0x36a0000000000000,
            0x36a0000000000001,
            0x3690000000000000,
            0x40effc0000000000,
            0x3e70000000000000};
  if (type == Type::kF16)
    return {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfd01, 1,
            0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x3800, 0xb800, 0x3e00, 0x4100};
  const std::uint32_t bits = bits_of(type);
  const std::uint64_t all = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  std::vector<std::uint64_t> values = {0,
                                       1,
                                       2,
                                       3,
                                       4,
                                       7,
                                       8,
                                       15,
                                       16,
                                       17,
                                       24,
                                       31,
                                       32,
                                       33,
                                       47,
                                       63,
                                       64,
                                       65,
                                       127,
                                       128,
                                       255,
                                       256,
                                       257,
                                       0x7fff,
                                       0x8000,
                                       0xffff,
                                       0x10000,
                                       all,
                                       all - 1,
                                       all >> 1U,
                                       (all >> 1U) - 1,
                                       (all >> 1U) + 1,
                                       (all >> 1U) + 2,
                                       0x7fffff,
                                       0x800000,
                                       0xffffff,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x100000000,
                                       0xfedcba9876543210};
  for (std::uint64_t& value : values) value &= all;
  return values;
}

// Returns random bits of the type. Integers have few bits in some of the draws; numbers in floating point
// have exponents close to each other in most draws, so that sums and products round.
inline std::uint64_t random_of(Type type, std::mt19937_64& random) {
  const std::uint64_t bits = random();
  const std::uint64_t style = random() % 4;
  if (type == Type::kF32 && style != 0) return (bits & 0x83ffffffU) | ((0x3eULL - style + bits % 3) << 24U);
  if (type == Type::kF64 && style != 0) return (bits & 0x801fffffffffffffU) | ((0x3f0 + 8 * style) << 52U);
  if (style == 0 && class_of(type) != TypeClass::kFloat) return bits >> (random() % 64);
  return bits;
}

}  // namespace heddle::ptx
