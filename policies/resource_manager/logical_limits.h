#pragma once
// What the policies have in common that give resources to logical warps.

#include <algorithm>

#include "models/core/kernel/kernel.h"

namespace heddle {

// Returns the limits of an SM with these logical warps and blocks, and no fewer than it has slots.
inline SmLimits limits_of_logical_warps(const SmLimits& sm, std::uint32_t warps, std::uint32_t blocks) {
  SmLimits logical = sm;
  logical.warps = std::max(warps, sm.warps);
  logical.block_slots = std::max(blocks, sm.block_slots);
  logical.threads = logical.block_slots * logical.warps * sm.warp_size;  // warps alone decide
  logical.by_warp = true;
  return logical;
}

inline std::uint32_t rounded_up(std::uint32_t amount, std::uint32_t unit) {
  return (amount + unit - 1) / unit;
}

}  // namespace heddle
