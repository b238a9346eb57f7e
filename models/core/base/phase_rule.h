#pragma once
// Where a phase of a kernel starts (Vijaykumar et al., Zorua, Section 5.7).

#include <cmath>
#include <cstdint>

namespace heddle {

struct PhaseRule {
  double live_change = 0.25;  // relative change of live registers or shared memory since the last boundary
  std::uint32_t minimum_instructions = 10;  // since the last boundary on the path
};

// Returns whether an amount changes by this share of what it was before.
inline bool changes(double now, double before, double share) {
  const double difference = std::abs(now - before);
  return difference > 0 && difference >= share * before;
}

}  // namespace heddle
