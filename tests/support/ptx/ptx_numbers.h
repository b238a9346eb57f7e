#pragma once
// These functions convert integers of PTX types to and from numbers of 128 bits.

#include "stimuli/ptx/statements/type.h"

namespace heddle::ptx {

__extension__ using Big = __int128;

inline std::uint64_t mask_of(Type type) {
  return bits_of(type) < 64 ? (std::uint64_t{1} << bits_of(type)) - 1 : ~std::uint64_t{0};
}

// Returns the number that the lower bits represent in this type.
inline Big number_of(Type type, std::uint64_t bits) {
  const Big value = bits & mask_of(type);
  const Big end = Big{1} << bits_of(type);
  return is_signed(type) && value >= end / 2 ? value - end : value;
}

inline std::uint64_t bits_of_number(Type type, Big value) {
  return static_cast<std::uint64_t>(value) & mask_of(type);
}

inline Big most_of(Type type) {
  return (Big{1} << (bits_of(type) - (is_signed(type) ? 1 : 0))) - 1;
}
inline Big least_of(Type type) {
  return is_signed(type) ? -most_of(type) - 1 : Big{0};
}
inline Big clamped(Type type, Big value) {
  return value < least_of(type) ? least_of(type) : (value > most_of(type) ? most_of(type) : value);
}

}  // namespace heddle::ptx
