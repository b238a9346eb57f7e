#pragma once
// A WarpMask has one bit for each warp slot of an SM.

#include <cstdint>

namespace heddle {

using WarpMask = std::uint64_t;
constexpr std::uint32_t kMostWarps = 64;

inline std::uint32_t lowest(WarpMask mask) {
  return static_cast<std::uint32_t>(__builtin_ctzll(mask));
}
inline WarpMask bit(std::uint32_t slot) {
  return WarpMask{1} << slot;
}

// Returns the warp slots of scheduler 0: warp slot s belongs to scheduler s mod `schedulers`. Shifted left by
// i, the mask is that of scheduler i.
inline WarpMask warps_of_first(std::uint32_t schedulers) {
  WarpMask mask = 0;
  for (std::uint32_t slot = 0; slot < kMostWarps; slot += schedulers) mask |= bit(slot);
  return mask;
}

// Calls f(slot) for each bit of the mask, lowest first.
template <class F>
void for_each_slot(WarpMask mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(lowest(mask));
}

}  // namespace heddle
