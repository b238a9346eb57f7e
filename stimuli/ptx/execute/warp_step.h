#pragma once
// One warp executes one step.

#include <cstdint>
#include <cstring>

#include "stimuli/ptx/execute/warp.h"
#include "stimuli/ptx/steps/step.h"

namespace heddle::ptx {

// Returns the lanes of the running path whose guard holds.
inline std::uint32_t active_lanes(Warp& warp, const Step& step) {
  const std::uint32_t running = warp.stack().mask();
  if (step.guard == Step::kUnguarded) return running;
  const std::uint32_t guard = warp.predicate(step.guard);
  return running & (step.guard_negated ? ~guard : guard);
}

struct WarpStep {
  Warp& warp;
  const Step& step;
  std::uint32_t number;  // of the warp in the block
  std::uint32_t active;  // lanes whose guard holds

  std::uint32_t first_lane() const { return static_cast<std::uint32_t>(__builtin_ctz(active)); }
  // The same step for some of the active lanes.
  WarpStep with_lanes(std::uint32_t lanes) const { return {warp, step, number, lanes}; }
};

// Returns the value of a lane in a row of the warp, without an extension of its sign. An absent row has the
// value 0.
inline std::uint64_t lane_value(const WarpStep& at, const Row& row, std::uint32_t lane) {
  std::uint64_t value = 0;
  if (row.base == RowBase::kNull) return value;
  const std::size_t bytes = row.wide ? 8 : 4;
  std::memcpy(&value, at.warp.at(row) + lane * bytes, bytes);
  return value;
}

// Calls visit(lane) for each lane of the mask, from the lowest on.
template <typename Visit>
void for_each_lane(std::uint32_t mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(__builtin_ctz(mask)));
}

}  // namespace heddle::ptx
