#include "stimuli/ptx/execute/special_registers.h"

#include <cstring>

namespace heddle::ptx {
namespace {

// The halves of the workspace's address; every other register is 0.
std::uint64_t environment(std::uint32_t number, Address workspace) {
  if (number == 1) return workspace >> 32U;
  return number == 2 ? workspace & kEveryLane : 0;
}

// Blocks of a cluster are numbered in the order of x, y and z.
std::uint64_t rank_of(const Dim3& block, const Dim3& cluster) {
  return (std::uint64_t{block.z % cluster.z} * cluster.y + block.y % cluster.y) * cluster.x +
         block.x % cluster.x;
}

std::uint64_t value_of(const SpecialRow& row, const WarpPlace& place, std::uint32_t lane) {
  const Dim3& block = place.launch.block;
  const Dim3& grid = place.launch.grid;
  const Dim3& cluster = place.cluster;
  const std::uint32_t thread = place.number * kLanes + lane;
  switch (row.special) {
    case Special::kTidX:
      return thread % block.x;
    case Special::kTidY:
      return thread / block.x % block.y;
    case Special::kTidZ:
      return thread / block.x / block.y;
    case Special::kNtidX:
      return block.x;
    case Special::kNtidY:
      return block.y;
    case Special::kNtidZ:
      return block.z;
    case Special::kCtaidX:
      return place.block.x;
    case Special::kCtaidY:
      return place.block.y;
    case Special::kCtaidZ:
      return place.block.z;
    case Special::kNctaidX:
      return grid.x;
    case Special::kNctaidY:
      return grid.y;
    case Special::kNctaidZ:
      return grid.z;
    case Special::kClusteridX:
      return place.block.x / cluster.x;
    case Special::kClusteridY:
      return place.block.y / cluster.y;
    case Special::kClusteridZ:
      return place.block.z / cluster.z;
    case Special::kNclusteridX:
      return grid.x / cluster.x;
    case Special::kNclusteridY:
      return grid.y / cluster.y;
    case Special::kNclusteridZ:
      return grid.z / cluster.z;
    case Special::kClusterCtaidX:
      return place.block.x % cluster.x;
    case Special::kClusterCtaidY:
      return place.block.y % cluster.y;
    case Special::kClusterCtaidZ:
      return place.block.z % cluster.z;
    case Special::kClusterNctaidX:
      return cluster.x;
    case Special::kClusterNctaidY:
      return cluster.y;
    case Special::kClusterNctaidZ:
      return cluster.z;
    case Special::kClusterCtarank:
      return rank_of(place.block, cluster);
    case Special::kClusterNctarank:
      return cluster.count();
    case Special::kLaneid:
      return lane;
    case Special::kWarpid:
      return place.number;
    case Special::kNwarpid:
      return place.warps;
    case Special::kLanemaskEq:
      return 1U << lane;
    case Special::kLanemaskLe:
      return (2ULL << lane) - 1;
    case Special::kLanemaskLt:
      return (1ULL << lane) - 1;
    case Special::kLanemaskGe:
      return kEveryLane & ~((1ULL << lane) - 1);
    case Special::kLanemaskGt:
      return kEveryLane & ~((2ULL << lane) - 1);
    case Special::kNsmid:
      return 1;
    case Special::kClock:
    case Special::kClock64:
    case Special::kGlobaltimer:
    case Special::kGlobaltimerLo:
      return place.now;
    case Special::kClockHi:
    case Special::kGlobaltimerHi:
      return place.now >> 32U;
    case Special::kDynamicSharedBytes:
      return place.launch.dynamic_shared;
    case Special::kTotalSharedBytes:
      return place.shared;
    case Special::kSmid:
    case Special::kGridid:
      return 0;
    case Special::kEnvironment:
      return environment(row.number, place.launch.workspace);
  }
  return 0;
}

}  // namespace

void fill_special(const SpecialRow& row, const WarpPlace& place, std::byte* to) {
  const std::uint64_t mask = row.bits < 64 ? (std::uint64_t{1} << row.bits) - 1 : ~std::uint64_t{0};
  const std::size_t bytes = row.bits == 64 ? 8 : 4;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t value = value_of(row, place, lane) & mask;
    std::memcpy(to + lane * bytes, &value, bytes);
  }
}

}  // namespace heddle::ptx
