#include "stimuli/ptx/execute/cluster_member.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "stimuli/ptx/execute/block_memory.h"
#include "stimuli/ptx/execute/generic_addresses.h"

namespace heddle::ptx {

void ClusterMember::start(Cluster& cluster, std::uint32_t rank, BlockStream& stream, BlockMemory& memory) {
  cluster_ = &cluster;
  rank_ = rank;
  std::fill(awaited_.begin(), awaited_.end(), 0);
  received_ = 0;
  messages_.clear();
  cluster.start(rank, {&stream, &memory, &warps_});
}

void ClusterMember::stop(bool has_ended) {
  cluster_->stop(rank_, has_ended);
}

BlockStream* ClusterMember::stream_of(std::uint32_t rank) const {
  if (rank >= cluster_->size() || cluster_->state_of(rank) != Cluster::State::kRunning) return nullptr;
  return cluster_->block(rank).stream;
}

BlockMemory& ClusterMember::memory_of(const WarpStep& at, std::uint32_t lane, std::uint32_t rank) const {
  if (rank >= cluster_->size())
    faults_.raise(at, lane, fmt::format("block {} of a cluster of {} blocks", rank, cluster_->size()));
  const Cluster::State state = cluster_->state_of(rank);
  if (state != Cluster::State::kRunning)
    faults_.raise(at, lane,
                  fmt::format("an access to the shared memory of block {} of the cluster, which {}; blocks "
                              "wait for each other with barrier.cluster before and after such accesses",
                              rank, state == Cluster::State::kEnded ? "has ended" : "has not started"));
  return *cluster_->block(rank).memory;
}

ClusterPlace ClusterMember::place_of(const WarpStep& at, std::uint32_t lane, std::uint32_t address,
                                     std::uint32_t bytes, std::uint32_t alignment) const {
  const ClusterPlace place = place_of(address);
  const std::uint64_t size = memory_of(at, lane, place.rank).shared_bytes();
  if (place.offset % alignment != 0)
    faults_.raise(at, lane,
                  fmt::format("{} bytes at {:#x} of shared memory of block {} of the cluster, which is not "
                              "aligned",
                              bytes, place.offset, place.rank));
  if (std::uint64_t{place.offset} + bytes > size)
    faults_.raise(at, lane,
                  fmt::format("{} bytes at {:#x} of the {} bytes of shared memory of block {} of the cluster",
                              bytes, place.offset, size, place.rank));
  return place;
}

void ClusterMember::find(const WarpStep& at) const {
  const bool maps = at.step.statement->opcode == Opcode::kMapa;
  const bool is_generic = at.step.statement->space == Space::kGeneric;
  const Row& to = at.step.destination[0];
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const std::uint64_t address = lane_value(at, at.step.source[0], lane);
    const std::uint64_t rank = maps ? lane_value(at, at.step.source[1], lane) : 0;
    if (rank >= cluster_->size())
      faults_.raise(at, lane, fmt::format("block {} of a cluster of {} blocks", rank, cluster_->size()));
    if (is_generic && !is_alone() && space_of_generic(address) != Space::kShared)
      faults_.raise(at, lane, fmt::format("the block of {:#x}, which is not in shared memory", address));
    const ClusterPlace place = place_of(static_cast<std::uint32_t>(address));
    std::uint64_t value = is_alone() ? 0 : place.rank;
    if (maps) {
      value = address;
      if (!is_alone())
        value = (address - static_cast<std::uint32_t>(address)) | (rank + 1) << kRankBit | place.offset;
    }
    const std::size_t bytes = to.wide ? 8 : 4;
    std::memcpy(at.warp.at(to) + lane * bytes, &value, bytes);
  });
}

void ClusterMember::arrive(std::uint32_t warp, std::uint32_t lanes) {
  awaited_[warp] = cluster_->openings() + 1;
  if (cluster_->arrive(rank_, warp, lanes)) open();
}

void ClusterMember::end_lanes(std::uint32_t warp) {
  if (cluster_->end_lanes(rank_, warp)) open();
}

// A cluster of one block needs no messages.
void ClusterMember::open() {
  if (is_alone()) return receive_opening();
  for (std::uint32_t rank = 0; rank < cluster_->size(); ++rank)
    if (cluster_->state_of(rank) == Cluster::State::kRunning)
      send({ClusterMessage::Kind::kClusterOpens, static_cast<std::uint8_t>(rank), 0, 0, 0, 0});
}

void ClusterMember::receive_opening() {
  ++received_;
  if (state_.is_watched) state_.memory.note_change();
}

void ClusterMember::send(const ClusterMessage& message) {
  messages_.push_back(message);
  if (message.kind != ClusterMessage::Kind::kAccess) ++cluster_->signals_to(message.rank);
}

void ClusterMember::receive() {
  --cluster_->signals_to(rank_);
}

}  // namespace heddle::ptx
