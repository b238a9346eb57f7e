#include "stimuli/ptx/lanes/cross_lane.h"

#include <algorithm>
#include <array>

#include "stimuli/ptx/lanes/lane_arithmetic.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kLaneBits = 0x1f;
constexpr unsigned kSegmentShift = 8;

std::uint64_t value_at(const void* values, bool wide, std::uint32_t lane) {
  return wide ? static_cast<const std::uint64_t*>(values)[lane]
              : static_cast<const std::uint32_t*>(values)[lane];
}

// Orders signed numbers as unsigned ones.
constexpr std::uint32_t kSign = 1U << 31U;

std::uint32_t combined(Variant variant, std::uint32_t sign, std::uint32_t a, std::uint32_t b) {
  switch (variant) {
    case Variant::kAdd:
      return a + b;
    case Variant::kMin:
      return (a ^ sign) < (b ^ sign) ? a : b;
    case Variant::kMax:
      return (a ^ sign) > (b ^ sign) ? a : b;
    case Variant::kAnd:
      return a & b;
    case Variant::kOr:
      return a | b;
    default:
      return a ^ b;
  }
}

}  // namespace

// This follows the pseudocode of shfl in the PTX ISA. What is read from a lane that the mask lacks is
// undefined there; it is 0 here, because reductions of CUDA's samples add such values.
void shuffle(Variant variant, std::uint32_t active, const ShuffleRows& rows) {
  std::array<std::uint32_t, kWarpLanes> from;
  std::copy_n(rows.from, kWarpLanes, from.begin());
  std::uint32_t in_range = 0;
  std::array<std::uint32_t, kWarpLanes> to;
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    const std::uint32_t b = rows.b[lane] & kLaneBits;
    const std::uint32_t clamp = rows.c[lane] & kLaneBits;
    const std::uint32_t segment = rows.c[lane] >> kSegmentShift & kLaneBits;
    const std::uint32_t last = (lane & segment) | (clamp & ~segment);
    std::uint32_t source = 0;
    bool inside = false;
    if (variant == Variant::kUp) {
      source = lane - b;
      inside = static_cast<std::int32_t>(source) >= static_cast<std::int32_t>(last);
    } else {
      if (variant == Variant::kDown)
        source = lane + b;
      else if (variant == Variant::kBfly)
        source = lane ^ b;
      else
        source = (lane & segment) | (b & ~segment);
      inside = source <= last;
    }
    const std::uint32_t read = inside ? source & kLaneBits : lane;
    const bool is_member = rows.members == nullptr || read == lane || (rows.members[lane] >> read & 1U) != 0;
    to[lane] = is_member ? from[read] : 0;
    in_range |= static_cast<std::uint32_t>(inside) << lane;
  }
  for (std::uint32_t left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
    rows.to[lane] = to[lane];
  }
  if (rows.in_range != nullptr) *rows.in_range = (*rows.in_range & ~active) | (in_range & active);
}

std::uint32_t vote(Variant variant, std::uint32_t active, std::uint32_t predicate) {
  const std::uint32_t holds = predicate & active;
  switch (variant) {
    case Variant::kAll:
      return static_cast<std::uint32_t>(holds == active);
    case Variant::kAny:
      return static_cast<std::uint32_t>(holds != 0);
    case Variant::kUni:
      return static_cast<std::uint32_t>(holds == active || holds == 0);
    default:
      return holds;
  }
}

void match_any(std::uint32_t active, const void* values, bool wide, std::uint32_t* to) {
  std::array<std::uint32_t, kWarpLanes> equal{};
  for (std::uint32_t left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
    for (std::uint32_t others = active; others != 0; others &= others - 1) {
      const auto other = static_cast<std::uint32_t>(__builtin_ctz(others));
      if (value_at(values, wide, lane) == value_at(values, wide, other)) equal[lane] |= 1U << other;
    }
  }
  for (std::uint32_t left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
    to[lane] = equal[lane];
  }
}

bool all_match(std::uint32_t active, const void* values, bool wide) {
  const auto first = static_cast<std::uint32_t>(__builtin_ctz(active));
  for (std::uint32_t left = active; left != 0; left &= left - 1)
    if (value_at(values, wide, static_cast<std::uint32_t>(__builtin_ctz(left))) !=
        value_at(values, wide, first))
      return false;
  return true;
}

std::uint32_t reduce(const Statement& statement, std::uint32_t active, const std::uint32_t* values) {
  const std::uint32_t sign = is_signed(statement.type) ? kSign : 0;
  std::uint32_t result = values[__builtin_ctz(active)];
  for (std::uint32_t left = active & (active - 1); left != 0; left &= left - 1)
    result = combined(statement.variant, sign, result, values[__builtin_ctz(left)]);
  return result;
}

}  // namespace heddle::ptx
