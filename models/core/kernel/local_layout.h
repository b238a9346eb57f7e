#pragma once
// The LocalLayout places the local memory of all threads of a GPU in the virtual address space of a context.

#include <algorithm>
#include <cstdint>

#include "models/core/base/ids.h"
#include "models/core/kernel/address_spaces.h"

namespace heddle {

// Local memory is interleaved by words of 4 bytes: a word of a warp's 32 lanes is one line of 128 bytes, lane
// 0 first (CUDA C++ Programming Guide, "Device Memory Accesses": consecutive 32-bit words of local memory are
// accessed by consecutive threads). Where the lines of the warps lie is not published. Here the lines of one
// word stand together, warp slot by warp slot and SM by SM, as GPGPU-Sim has them.
//
// The distances between two slots of an SM and between two words of a warp are prime numbers of lines. They
// have no divisor in common with the number of channels, L2 slices or cache sets, so the words of one warp,
// and the warps of one SM, go round all of them.
class LocalLayout {
 public:
  static constexpr std::uint32_t kWordBytes = 4;
  static constexpr std::uint32_t kLineBytes = 128;  // a word of all lanes

  // `sm` is one of the GPU's `sms` SMs, each of which has `slots` warp slots.
  LocalLayout(std::uint32_t sm, std::uint32_t sms, std::uint32_t slots)
      : sm_(sm),
        slot_lines_(sms == 1 ? 1 : prime_from(sms)),
        word_lines_(prime_from(std::max(std::uint64_t{slots} * slot_lines_, kMostTurns))) {}

  // Returns the virtual address of the line that has the word, 0, 1, ..., of the lanes of the warp slot.
  Address line(Address word, std::uint32_t slot) const {
    return kLocalAddresses + (word * word_lines_ + slot * slot_lines_ + sm_) * kLineBytes;
  }

 private:
  // More than the slices that share any card's lines in turn, so that no prime from here on divides their
  // number.
  static constexpr std::uint64_t kMostTurns = 256;

  static bool is_prime(std::uint64_t number) {
    for (std::uint64_t divisor = 2; divisor * divisor <= number; ++divisor)
      if (number % divisor == 0) return false;
    return number > 1;
  }
  static std::uint64_t prime_from(std::uint64_t number) {
    while (!is_prime(number)) ++number;
    return number;
  }

  std::uint64_t sm_;
  std::uint64_t slot_lines_;  // between two warp slots of an SM
  std::uint64_t word_lines_;  // between two words of a warp
};

}  // namespace heddle
