#include "stimuli/ptx/execute/cluster_copies.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "stimuli/ptx/execute/copy_unit.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kBarrierBytes = sizeof(std::uint64_t);

}  // namespace

ClusterCopies::Target ClusterCopies::target_of(const WarpStep& at, std::uint32_t lane, std::uint32_t address,
                                               std::uint32_t barrier, std::uint32_t bytes,
                                               std::uint32_t alignment) {
  const ClusterMember* const cluster = memory_.cluster();
  if (cluster == nullptr) {
    memory_.check_shared(at, lane, address, bytes, alignment);
    barriers_.check(at, lane, barrier);
    return {&memory_, 0, address, barrier};
  }
  const ClusterPlace to = cluster->place_of(at, lane, address, bytes, alignment);
  const ClusterPlace object = cluster->place_of(at, lane, barrier, kBarrierBytes, kBarrierBytes);
  if (to.rank != object.rank)
    faults_.raise(at, lane,
                  fmt::format("bytes for block {} of the cluster that arrive at a barrier object of block {}",
                              to.rank, object.rank));
  return {&cluster->memory_of(at, lane, to.rank), to.rank, to.offset, object.offset};
}

void ClusterCopies::arrive(const Target& target, std::uint32_t bytes) {
  if (ClusterMember* const cluster = memory_.cluster(); cluster != nullptr)
    cluster->send({ClusterMessage::Kind::kBytes, static_cast<std::uint8_t>(target.rank), bytes, 0,
                   target.barrier, bytes});
  else
    barriers_.receive(target.barrier, bytes);
}

// Lanes whose bytes arrive at the same barrier object send one message together.
void ClusterCopies::store(const WarpStep& at, IssuedInstruction& issued) {
  const Access& access = state_.code.accesses[at.step.index];
  const std::uint32_t bytes = std::uint32_t{access.bytes} * access.width;
  std::array<Target, kLanes> targets;
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const auto address = static_cast<std::uint32_t>(lane_value(at, at.step.source[0], lane) + access.offset);
    const auto barrier =
        static_cast<std::uint32_t>(lane_value(at, at.step.destination[0], lane) + access.barrier_offset);
    Target& target = targets[lane];
    target = target_of(at, lane, address, barrier, bytes, bytes);
    issued.addresses[lane] = target.offset;
    const std::uint32_t only = 1U << lane;
    std::array<Address, kLanes> places;
    places.fill(target.offset);
    LanePlaces element{target.memory->shared_at(0), 0, places.data()};
    if (access.atomic != nullptr) {
      access.atomic(element, only, {nullptr, at.warp.at(at.step.source[1]), nullptr});
      return;
    }
    for (std::uint32_t i = 0; i < access.width; ++i, element.data += access.bytes)
      access.store[i](element, only, at.warp.at(at.step.source[i + 1]));
  });
  for (std::uint32_t left = at.active; left != 0;) {
    const Target& first = targets[at.with_lanes(left).first_lane()];
    std::uint32_t same = 0;
    for_each_lane(left, [&](std::uint32_t lane) {
      if (targets[lane].rank == first.rank && targets[lane].barrier == first.barrier) same |= 1U << lane;
    });
    left &= ~same;
    arrive(first, bytes * static_cast<std::uint32_t>(__builtin_popcount(same)));
  }
}

void ClusterCopies::copy(const WarpStep& at, IssuedInstruction& issued) {
  const Access& access = state_.code.accesses[at.step.index];
  for_each_lane(copying_lanes(at), [&](std::uint32_t lane) {
    const auto from = static_cast<std::uint32_t>(lane_value(at, at.step.source[0], lane) + access.offset);
    const auto to =
        static_cast<std::uint32_t>(lane_value(at, at.step.source[1], lane) + access.shared_offset);
    const auto bytes = static_cast<std::uint32_t>(lane_value(at, at.step.source[2], lane));
    const auto barrier =
        static_cast<std::uint32_t>(lane_value(at, at.step.source[3], lane) + access.barrier_offset);
    if (bytes % kBulkAlignment != 0)
      faults_.raise(at, lane,
                    fmt::format("a copy of {} bytes, which is no multiple of {}", bytes, kBulkAlignment));
    memory_.check_shared(at, lane, from, bytes, kBulkAlignment);
    const Target target = target_of(at, lane, to, barrier, bytes, kBulkAlignment);
    issued.addresses[lane] = target.offset;
    if (bytes == 0) return;
    std::memmove(target.memory->shared_at(target.offset), memory_.shared_at(from), bytes);
    arrive(target, bytes);
  });
}

}  // namespace heddle::ptx
