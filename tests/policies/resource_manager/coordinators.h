#pragma once
// The tests of the Coordinator describe its SMs and warps with these functions.

#include "policies/resource_manager/coordinator.h"

namespace heddle {

constexpr Coordinator::WarpMask warps(std::uint32_t first, std::uint32_t count) {
  return ((Coordinator::WarpMask{1} << count) - 1) << first;
}

// An SM with so many warp slots, sets of shared memory and sets of registers, without swap space.
inline Coordinator::Spec physical(std::uint32_t slots, std::uint32_t shared, std::uint32_t registers) {
  Coordinator::Spec spec;
  spec.tables = {MappingTable::Shape{64, 1, slots, 0}, MappingTable::Shape{16, 48, shared, 0},
                 MappingTable::Shape{64, 16, registers, 0}};
  spec.oversubscribes = false;
  return spec;
}

// The same with swap space. No warp is schedulable for the floor alone.
inline Coordinator::Spec oversubscribed(std::uint32_t slots, std::uint32_t shared, std::uint32_t registers,
                                        double threshold) {
  Coordinator::Spec spec = physical(slots, shared, registers);
  spec.oversubscribes = true;
  spec.threshold = threshold;
  spec.floor = 0;
  return spec;
}

}  // namespace heddle
